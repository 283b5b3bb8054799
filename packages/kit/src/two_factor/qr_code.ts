import encodeQR from 'qr'

/** Modules around the code that have to stay empty (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4

/** A QR code as the text of an SVG image, dark on nothing: it needs a light ground. */
export function qrCodeSvg(text: string): string {
  return encodeQR(text, 'svg', { ecc: 'medium', border: QUIET_ZONE })
}
