// A key of P-256 and a certificate signed with it, made once for these tests: what other programs show.
const KEY =
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg64tJ3fFtJgN0Niw61d0zmOdZ95MvauLWdKI+3Kq1zx+hRANCAASAeK58JijrGP7wxQC4xxq0' +
  'eM/Se7BUMnG8Qg/sanTIcKdSdsmoyMYAi1luozFjfAP0bHKd4cYkIghm94wH3hoU';
const CERTIFICATE =
  'MIIBbzCCARWgAwIBAgIUEZ6+jcWPvGp4mLCeM8l3xc3Ym38wCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBeDAgFw0yNjExMjIxODA2NTBaGA8yMTI2MTAyOTE4' +
  'MDY1MFowDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIB4rnwmKOsY/vDFALjHGrR4z9J7sFQycbxCD+xqdMhwp1J2yajIxgCLWW6j' +
  'MWN8A/Rscp3hxiQiCGb3jAfeGhSjUzBRMB0GA1UdDgQWBBQ6CK2MyGpAqCZuzlVi4kOlpjEIpTAfBgNVHSMEGDAWgBQ6CK2MyGpAqCZuzlVi4kOlpjEIpTAP' +
  'BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIDKX+V0YpjYDVDpMMx5+ryTjD2KsLT1cIp7Wauuvx9zmAiEA9txw28yq6oHklSIEZbfusjUDpkYd' +
  '4Hj8OQKaMrRLFdo=';

/** Makes the key and certificate of a stranger whose key is of another kind. */
export function foreignCertificate(): { readonly key: string; readonly certificate: string } {
  return { key: pem('PRIVATE KEY', KEY), certificate: pem('CERTIFICATE', CERTIFICATE) };
}

function pem(label: string, base64: string): string {
  return `-----BEGIN ${label}-----\n${base64}\n-----END ${label}-----\n`;
}
