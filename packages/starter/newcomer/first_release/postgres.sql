CREATE TABLE public.adonis_schema (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    batch integer NOT NULL,
    migration_time timestamp with time zone DEFAULT CURRENT_TIMESTAMP
);
CREATE SEQUENCE public.adonis_schema_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.adonis_schema_id_seq OWNED BY public.adonis_schema.id;
CREATE TABLE public.adonis_schema_versions (
    version integer NOT NULL
);
CREATE TABLE public.comments (
    id integer NOT NULL,
    post_id integer NOT NULL,
    user_id integer NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone
);
CREATE SEQUENCE public.comments_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.comments_id_seq OWNED BY public.comments.id;
CREATE TABLE public.oauth_access_tokens (
    jti character varying(64) NOT NULL,
    user_id character varying(255),
    provider character varying(255),
    client_id character varying(255),
    scopes text NOT NULL,
    name character varying(255),
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint,
    resource text
);
CREATE TABLE public.oauth_auth_codes (
    id character varying(64) NOT NULL,
    code_hash character varying(64) NOT NULL,
    user_id character varying(255) NOT NULL,
    provider character varying(255) NOT NULL,
    client_id character varying(255) NOT NULL,
    redirect_uri text,
    scopes text NOT NULL,
    code_challenge character varying(128),
    code_challenge_method character varying(16),
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    redeemed_at bigint,
    revoked_at bigint,
    access_token_id character varying(64),
    resource text
);
CREATE TABLE public.oauth_clients (
    id character varying(64) NOT NULL,
    name character varying(255) NOT NULL,
    secret_hash character varying(64),
    redirect_uris text NOT NULL,
    grant_types text NOT NULL,
    scopes text NOT NULL,
    provider character varying(255),
    revoked boolean DEFAULT false NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.oauth_refresh_tokens (
    id character varying(64) NOT NULL,
    token_hash character varying(64) NOT NULL,
    access_token_id character varying(64) NOT NULL,
    user_id character varying(255) NOT NULL,
    provider character varying(255) NOT NULL,
    client_id character varying(255),
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    rotated_at bigint,
    revoked_at bigint,
    resource text,
    family_id character varying(64)
);
CREATE TABLE public.password_reset_tokens (
    id bigint NOT NULL,
    broker character varying(255) NOT NULL,
    email character varying(254) NOT NULL,
    token character varying(64) NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE SEQUENCE public.password_reset_tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.password_reset_tokens_id_seq OWNED BY public.password_reset_tokens.id;
CREATE TABLE public.personal_api_tokens (
    id bigint NOT NULL,
    user_id character varying(255) NOT NULL,
    provider character varying(255) NOT NULL,
    name character varying(255),
    token character varying(64) NOT NULL,
    abilities text NOT NULL,
    last_used_at bigint,
    expires_at bigint,
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.personal_api_tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.personal_api_tokens_id_seq OWNED BY public.personal_api_tokens.id;
CREATE TABLE public.posts (
    id integer NOT NULL,
    user_id integer NOT NULL,
    title character varying(255) NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone
);
CREATE SEQUENCE public.posts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.posts_id_seq OWNED BY public.posts.id;
CREATE TABLE public.rate_limits (
    key character varying(255) NOT NULL,
    points integer DEFAULT 0 NOT NULL,
    expire bigint
);
CREATE TABLE public.sessions (
    id character varying(64) NOT NULL,
    user_id character varying(255),
    guard character varying(255),
    csrf_token character varying(64) NOT NULL,
    data text NOT NULL,
    created_at bigint NOT NULL,
    last_activity bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.users (
    id integer NOT NULL,
    full_name character varying(255),
    email character varying(254) NOT NULL,
    password character varying(255) NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone
);
CREATE SEQUENCE public.users_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.users_id_seq OWNED BY public.users.id;
ALTER TABLE ONLY public.adonis_schema ALTER COLUMN id SET DEFAULT nextval('public.adonis_schema_id_seq'::regclass);
ALTER TABLE ONLY public.comments ALTER COLUMN id SET DEFAULT nextval('public.comments_id_seq'::regclass);
ALTER TABLE ONLY public.password_reset_tokens ALTER COLUMN id SET DEFAULT nextval('public.password_reset_tokens_id_seq'::regclass);
ALTER TABLE ONLY public.personal_api_tokens ALTER COLUMN id SET DEFAULT nextval('public.personal_api_tokens_id_seq'::regclass);
ALTER TABLE ONLY public.posts ALTER COLUMN id SET DEFAULT nextval('public.posts_id_seq'::regclass);
ALTER TABLE ONLY public.users ALTER COLUMN id SET DEFAULT nextval('public.users_id_seq'::regclass);
INSERT INTO public.adonis_schema VALUES (1, 'database/migrations/2026_09_30_000000_create_users_table', 1, '2026-11-21 18:25:13.296824+00');
INSERT INTO public.adonis_schema VALUES (2, 'database/migrations/2026_09_30_000003_create_oauth_access_tokens_table', 1, '2026-11-21 18:25:13.344274+00');
INSERT INTO public.adonis_schema VALUES (3, 'database/migrations/2026_09_30_000004_create_oauth_refresh_tokens_table', 1, '2026-11-21 18:25:13.406345+00');
INSERT INTO public.adonis_schema VALUES (4, 'database/migrations/2026_09_30_000005_create_oauth_auth_codes_table', 1, '2026-11-21 18:25:13.470242+00');
INSERT INTO public.adonis_schema VALUES (5, 'database/migrations/2026_09_30_000006_add_resource_to_oauth_tables', 1, '2026-11-21 18:25:13.53475+00');
INSERT INTO public.adonis_schema VALUES (6, 'database/migrations/2026_09_30_000010_create_sessions_table', 1, '2026-11-21 18:25:13.562581+00');
INSERT INTO public.adonis_schema VALUES (7, 'database/migrations/2026_09_30_000011_create_personal_api_tokens_table', 1, '2026-11-21 18:25:13.622651+00');
INSERT INTO public.adonis_schema VALUES (8, 'database/migrations/2026_09_30_000020_create_password_reset_tokens_table', 1, '2026-11-21 18:25:13.694206+00');
INSERT INTO public.adonis_schema VALUES (9, 'database/migrations/2026_09_30_000021_create_rate_limits_table', 1, '2026-11-21 18:25:13.731722+00');
INSERT INTO public.adonis_schema VALUES (10, 'database/migrations/2026_10_04_000001_create_oauth_clients_table', 1, '2026-11-21 18:25:13.858995+00');
INSERT INTO public.adonis_schema VALUES (11, 'database/migrations/2026_10_04_000002_add_family_id_to_oauth_refresh_tokens_table', 1, '2026-11-21 18:25:13.880203+00');
INSERT INTO public.adonis_schema VALUES (12, 'database/migrations/2026_10_10_000001_create_posts_table', 1, '2026-11-21 18:25:13.891045+00');
INSERT INTO public.adonis_schema VALUES (13, 'database/migrations/2026_10_10_000002_create_comments_table', 1, '2026-11-21 18:25:13.918966+00');
INSERT INTO public.adonis_schema_versions VALUES (2);
INSERT INTO public.comments VALUES (1, 1, 2, 'Aro delibero atqui clibanus colligo ciminatio defluo. Censura laudantium vero ducimus enim. Quam cometes taceo.', '2026-11-21 18:25:26.336+00', '2026-11-21 18:25:26.336+00');
INSERT INTO public.comments VALUES (2, 1, 3, 'Amplitudo ait crux aestus caste crudelis altus carpo. Nihil vicinus comitatus. Ulciscor acerbitas reiciendis tum sum agnitio apto crepusculum necessitatibus optio.', '2026-11-21 18:25:26.338+00', '2026-11-21 18:25:26.338+00');
INSERT INTO public.comments VALUES (3, 1, 4, 'Compono ager despecto clarus capto cupiditas sum. Desolo sustineo libero voluptatum. Audio vetus aurum.', '2026-11-21 18:25:26.341+00', '2026-11-21 18:25:26.341+00');
INSERT INTO public.comments VALUES (4, 2, 3, 'Quam acies tumultus altus adhuc theatrum. Valeo voluntarius tristis cresco congregatio patruus repellendus amita defleo. Sufficio carus subito viriliter talio vomica cunabula.', '2026-11-21 18:25:26.342+00', '2026-11-21 18:25:26.342+00');
INSERT INTO public.comments VALUES (5, 2, 4, 'Decet artificiose amplexus ter arcesso viscus. Est constans toties virtus coepi aperio sumptus. Aliqua universe antiquus addo caritas.', '2026-11-21 18:25:26.344+00', '2026-11-21 18:25:26.344+00');
INSERT INTO public.comments VALUES (6, 2, 5, 'Statua derelinquo solvo dapifer templum supra decens colligo praesentium. Cohibeo viriliter comes ascit cursim arguo amoveo arcus succedo. Denique animadverto curto umerus cattus arca.', '2026-11-21 18:25:26.344+00', '2026-11-21 18:25:26.344+00');
INSERT INTO public.oauth_access_tokens VALUES ('aKRWkXjzNA2pIvBtRzKbCP', '6', 'users', '3AO9mKDYNP1zkZAd6iOFHc', '["posts:read"]', NULL, 1795285541000, 4102444800000, NULL, NULL);
INSERT INTO public.oauth_auth_codes VALUES ('61zx0wWaj0AVdOITbGhU6d', '5887d316eb8534f3f6a0e80f94211e781a99b702b557770d564c86e10647994b', '6', 'users', '3AO9mKDYNP1zkZAd6iOFHc', 'https://client.example.com/callback', '["posts:read"]', '9Y3FPIISdIp1qvrnJ-iZSs-2r_KmP_uxXy_STvIsTus', 'S256', 1795285541597, 4102444800000, 1795285541814, NULL, 'aKRWkXjzNA2pIvBtRzKbCP', NULL);
INSERT INTO public.oauth_auth_codes VALUES ('tbYLILJeUhXJzlqeH2lSkP', '3a0da58717ea831bb23c1c53fec7af113364b49cb2d58de604d104594234f8b4', '6', 'users', '3AO9mKDYNP1zkZAd6iOFHc', 'https://client.example.com/callback', '["posts:read"]', '9Y3FPIISdIp1qvrnJ-iZSs-2r_KmP_uxXy_STvIsTus', 'S256', 1795285542100, 4102444800000, NULL, NULL, NULL, NULL);
INSERT INTO public.oauth_clients VALUES ('3AO9mKDYNP1zkZAd6iOFHc', 'First client', '0ec949ca0f103add6531a88a52e8bc473360ecac654c77e1f47c6ce43c6f9966', '["https://client.example.com/callback"]', '["authorization_code","refresh_token"]', '[]', NULL, false, 1795285532553);
INSERT INTO public.oauth_refresh_tokens VALUES ('wIecEDQOlc9TwxbPbfJe55', '93788f38390def23a512187eea1bb5a1e8ade8c00ac594488e47f26dd6be594c', 'aKRWkXjzNA2pIvBtRzKbCP', '6', 'users', '3AO9mKDYNP1zkZAd6iOFHc', '["posts:read"]', 1795285541000, 4102444800000, NULL, NULL, NULL, 'wIecEDQOlc9TwxbPbfJe55');
INSERT INTO public.password_reset_tokens VALUES (1, 'users', 'ann@example.com', '30b532826d1251d1f00ee21b0768115092d69d62e7761ed5d33dbfabbd0b08e9', 1795285541975, 4102444800000);
INSERT INTO public.personal_api_tokens VALUES (1, '6', 'users', 'first', '5ad9dd80e6cf2f49bd4fa708ac2a107f1ae4cfafe43f6125593a79e31f3089ee', '["posts:read"]', NULL, 4102444800000, 1795285541459);
INSERT INTO public.posts VALUES (1, 1, 'Depulso bellum vorago sophismata turpis amplitudo apostolus vociferor itaque totidem.', 'Spiritus vicinus tabella. Repellendus iste tantillus. Uredo appello tersus.
Armarium claro expedita eum conculco summopere cauda terebro. Convoco accendo turpis tempora doloremque tergiversatio. Tabula vulgivagus amicitia ceno demoror corrumpo voluptatibus cubo terga.
Sustineo thema adopto voro ustilo voluptatum advoco tutamen. Torqueo accusantium umquam annus atrox dicta. Subnecto enim quos.', '2026-11-21 18:25:26.245+00', '2026-11-21 18:25:26.245+00');
INSERT INTO public.posts VALUES (2, 2, 'Verbum uterque doloribus aperiam commodi arbustum rerum terga sophismata cur.', 'Ago traho magni eveniet traho absum abscido suppono vergo super. Tumultus curiositas denique praesentium cado adaugeo aegrotatio ascit ustulo. Arceo ultio quisquam vulgivagus aliquid cohors ambulo supra cupiditate.
Degusto timidus defaeco. Suppono cunctatio decumbo. Atque depulso cibo compono undique conventus textilis nemo.
Stultus calco caste veritatis. Deputo audio exercitationem curis amoveo deserunt stella. Crastinus dolor compello acidus ascisco coepi culpa.', '2026-11-21 18:25:26.254+00', '2026-11-21 18:25:26.254+00');
INSERT INTO public.posts VALUES (3, 3, 'Tubineus trans aufero depopulo temeritas demitto arbustum sufficio vesco aufero.', 'Accusantium cauda ratione cultellus crapula crebro. Decipio doloremque clementia annus annus alius aegrotatio rem sono. Atqui colligo certus.
Uredo caelestis pel tricesimus vulnus cur demum. Tamen urbanus ipsam. Vitae minima vir theatrum.
Repudiandae tabesco totidem caecus. Adinventitias deserunt casso quod. Aestas asperiores dedecor illo canonicus convoco custodia tabernus avarus.', '2026-11-21 18:25:26.258+00', '2026-11-21 18:25:26.258+00');
INSERT INTO public.rate_limits VALUES ('rlflx:registrations:f9c0e7837cda41ce610b0ff0963e0817c917cd5ea9e95ab80c6d16869e92ec4c', 1, 4102444800000);
INSERT INTO public.rate_limits VALUES ('rlflx:failedLogins:f9c0e7837cda41ce610b0ff0963e0817c917cd5ea9e95ab80c6d16869e92ec4c', 1, 4102444800000);
INSERT INTO public.rate_limits VALUES ('rlflx:failedLogins:6c6f627c1a78694d5225ed32a84c4d02407bff94c8c7acbc9e2fdca23bdea161', 1, 4102444800000);
INSERT INTO public.rate_limits VALUES ('rlflx:failedLogins:1c2b0ccaab4c12dd1a02822ba4e8eeca3e8073325a56a858b7f7c08ae8d10acc', 1, 4102444800000);
INSERT INTO public.rate_limits VALUES ('rlflx:passwordMails:f9c0e7837cda41ce610b0ff0963e0817c917cd5ea9e95ab80c6d16869e92ec4c', 1, 4102444800000);
INSERT INTO public.sessions VALUES ('758757d324be7a3aac9a3846f2e5d560229adbee28ec79d08a2f8cf40b969cb0', '6', 'web', 'gcNwcSVUXIqwWW3zHJtQnD0hn2nONlgP4SIOdkW4Fea', '{}', 1795285541358, 1795285541358, 4102444800000);
INSERT INTO public.users VALUES (1, 'Bennie Robel', 'a47a1650-fa48-44ef-b9c3-af1d1581412a@example.com', '$bcrypt$v=98$r=12$QTp5ouDosB2DvQGGD7W7Mw$Wap4/ApriELA2ppTOfbAP0KvLPOK+cE', true, '2026-11-21 18:25:21.697+00', '2026-11-21 18:25:21.697+00');
INSERT INTO public.users VALUES (2, 'Jaydon Davis', '10429fcc-7ede-4c10-bd8f-a5c05ad3a46d@example.com', '$bcrypt$v=98$r=12$iT2YCemUDKHWfYPKASRuMQ$rFJ3GV1QorgSCoEo8EwaGSCIg9ERIYY', true, '2026-11-21 18:25:22.047+00', '2026-11-21 18:25:22.047+00');
INSERT INTO public.users VALUES (3, 'Nancy Kihn', 'f1a6b96d-cab4-42a3-8010-2b4c72417290@example.com', '$bcrypt$v=98$r=12$AXAnJPeKcgzGA5WbV1/k/Q$ayFxtd6Sb84/LwTMYn20Vqek/1b1KeY', true, '2026-11-21 18:25:23.385+00', '2026-11-21 18:25:23.385+00');
INSERT INTO public.users VALUES (4, 'Magali Gislason', '8422594a-16ff-4092-9f2d-071fc78baaf0@example.com', '$bcrypt$v=98$r=12$vjmPHFxkVOV3ve/JpBylwA$EOhd4UPmaE033GhuiCpGmIyJZ49ceAc', true, '2026-11-21 18:25:24.725+00', '2026-11-21 18:25:24.725+00');
INSERT INTO public.users VALUES (5, 'Mr. Robin Zboncak', '1efe9835-da42-48c9-99c8-402d95162849@example.com', '$bcrypt$v=98$r=12$kUQjebwVdPNtV24mgPH21g$xnvgsykr94/Bomn+W77Nd1TyQ7Br5+o', true, '2026-11-21 18:25:26.225+00', '2026-11-21 18:25:26.225+00');
INSERT INTO public.users VALUES (6, 'Ann', 'ann@example.com', '$bcrypt$v=98$r=12$aHDV4CiXYAqLF1y8Yhl1pA$bDZOItZOeYAdDsVrQvSaIWZGc9vt5j8', true, '2026-11-21 18:25:39.744+00', '2026-11-21 18:25:39.744+00');
SELECT pg_catalog.setval('public.adonis_schema_id_seq', 13, true);
SELECT pg_catalog.setval('public.comments_id_seq', 180, true);
SELECT pg_catalog.setval('public.password_reset_tokens_id_seq', 1, true);
SELECT pg_catalog.setval('public.personal_api_tokens_id_seq', 1, true);
SELECT pg_catalog.setval('public.posts_id_seq', 60, true);
SELECT pg_catalog.setval('public.users_id_seq', 6, true);
ALTER TABLE ONLY public.adonis_schema
    ADD CONSTRAINT adonis_schema_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.adonis_schema_versions
    ADD CONSTRAINT adonis_schema_versions_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT comments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.oauth_access_tokens
    ADD CONSTRAINT oauth_access_tokens_pkey PRIMARY KEY (jti);
ALTER TABLE ONLY public.oauth_auth_codes
    ADD CONSTRAINT oauth_auth_codes_code_hash_unique UNIQUE (code_hash);
ALTER TABLE ONLY public.oauth_auth_codes
    ADD CONSTRAINT oauth_auth_codes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.oauth_clients
    ADD CONSTRAINT oauth_clients_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.oauth_refresh_tokens
    ADD CONSTRAINT oauth_refresh_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.oauth_refresh_tokens
    ADD CONSTRAINT oauth_refresh_tokens_token_hash_unique UNIQUE (token_hash);
ALTER TABLE ONLY public.password_reset_tokens
    ADD CONSTRAINT password_reset_tokens_broker_email_unique UNIQUE (broker, email);
ALTER TABLE ONLY public.password_reset_tokens
    ADD CONSTRAINT password_reset_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.personal_api_tokens
    ADD CONSTRAINT personal_api_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.posts
    ADD CONSTRAINT posts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_unique UNIQUE (email);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX comments_post_id_index ON public.comments USING btree (post_id);
CREATE INDEX comments_user_id_index ON public.comments USING btree (user_id);
CREATE INDEX oauth_access_tokens_client_id_index ON public.oauth_access_tokens USING btree (client_id);
CREATE INDEX oauth_access_tokens_expires_at_index ON public.oauth_access_tokens USING btree (expires_at);
CREATE INDEX oauth_access_tokens_user_id_provider_index ON public.oauth_access_tokens USING btree (user_id, provider);
CREATE INDEX oauth_auth_codes_client_id_index ON public.oauth_auth_codes USING btree (client_id);
CREATE INDEX oauth_auth_codes_expires_at_index ON public.oauth_auth_codes USING btree (expires_at);
CREATE INDEX oauth_auth_codes_user_id_provider_index ON public.oauth_auth_codes USING btree (user_id, provider);
CREATE INDEX oauth_refresh_tokens_access_token_id_index ON public.oauth_refresh_tokens USING btree (access_token_id);
CREATE INDEX oauth_refresh_tokens_client_id_index ON public.oauth_refresh_tokens USING btree (client_id);
CREATE INDEX oauth_refresh_tokens_expires_at_index ON public.oauth_refresh_tokens USING btree (expires_at);
CREATE INDEX oauth_refresh_tokens_family_id_index ON public.oauth_refresh_tokens USING btree (family_id);
CREATE INDEX oauth_refresh_tokens_user_id_provider_index ON public.oauth_refresh_tokens USING btree (user_id, provider);
CREATE INDEX password_reset_tokens_expires_at_index ON public.password_reset_tokens USING btree (expires_at);
CREATE INDEX personal_api_tokens_expires_at_index ON public.personal_api_tokens USING btree (expires_at);
CREATE INDEX personal_api_tokens_user_id_provider_index ON public.personal_api_tokens USING btree (user_id, provider);
CREATE INDEX posts_created_at_index ON public.posts USING btree (created_at);
CREATE INDEX posts_user_id_index ON public.posts USING btree (user_id);
CREATE INDEX rate_limits_expire_index ON public.rate_limits USING btree (expire);
CREATE INDEX sessions_expires_at_index ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_last_activity_index ON public.sessions USING btree (last_activity);
CREATE INDEX sessions_user_id_index ON public.sessions USING btree (user_id);
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT comments_post_id_foreign FOREIGN KEY (post_id) REFERENCES public.posts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT comments_user_id_foreign FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.posts
    ADD CONSTRAINT posts_user_id_foreign FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
