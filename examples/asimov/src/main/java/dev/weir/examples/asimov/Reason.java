package dev.weir.examples.asimov;

/**
 * Reasons why an event cannot be translated. The name of the reason is stored in a header of the dead-letter record.
 */
public enum Reason {
    /** The record has no value. */
    EMPTY_VALUE,
    /** The value is not a single JSON object. */
    INVALID_JSON,
    /** The session is absent or empty. */
    MISSING_SESSION,
    /** Another mandatory field is absent. */
    MISSING_FIELD,
    /** A field occurs twice. */
    DUPLICATE_FIELD,
    /** A field has the wrong JSON type. */
    WRONG_TYPE,
    /** A number is outside its range. */
    OUT_OF_RANGE,
    /** The timestamp is before 2000 or after 2099. */
    TIMESTAMP_OUT_OF_RANGE,
    /** The payload is compressed in an unknown way. */
    UNKNOWN_ENCODING,
    /** The page's URL is not a URL, or not the URL of a web page. */
    INVALID_URL,
    /** The payload does not decompress. */
    INVALID_PAYLOAD,
    /** The payload decompresses to more than allowed. */
    PAYLOAD_TOO_LARGE,
    /** The translator itself failed. This is a bug, but it does not end the pipeline. */
    TRANSLATOR_FAULT
}
