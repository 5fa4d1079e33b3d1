declare module 'kafkajs-snappy' {
  /** kafkajs' own plug-in; it comes without types. */
  // biome-ignore lint/style/noDefaultExport: that is how the package exports it.
  export default function snappyCodec(): unknown;
}
