# docker build -t app .
#
# The image runs the server. Migrations are a step of their own, before a new
# version starts: docker run --rm --env-file production.env app node ace.js migration:run --force

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund
# Without a development .env: see .dockerignore.
RUN node ace.js build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
# A build's own lockfile names what a server needs, and no tools.
COPY --from=build /app/build ./
# The optional dependency "node" is for machines with an older Node.js.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3333 TZ=UTC
WORKDIR /app
COPY --from=dependencies /app ./
RUN mkdir -p /data && chown node:node /data
USER node
# Where an SQLite file may be: SQLITE_FILE=/data/db.sqlite3
VOLUME /data
EXPOSE 3333
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Receives SIGTERM itself, and ends when running requests are answered.
CMD ["node", "bin/server.js"]
