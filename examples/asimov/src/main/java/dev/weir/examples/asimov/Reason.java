package dev.weir.examples.asimov;

/** Reasons why an event cannot be translated; the name goes into the dead-letter record's header. */
public enum Reason {
    /** The record has no value. */
    EMPTY_VALUE,
    /** The value is not one JSON object. */
    INVALID_JSON,
    /** The session is absent or empty. */
    MISSING_SESSION,
    /** Another field that every event has is absent. */
    MISSING_FIELD,
    /** A field is there twice. */
    DUPLICATE_FIELD,
    /** A field has another JSON type than it should. */
    WRONG_TYPE,
    /** A number is outside its range. */
    OUT_OF_RANGE,
    /** The timestamp is before 2000 or after 2099. */
    TIMESTAMP_OUT_OF_RANGE,
    /** The payload is compressed in a way nobody told us of. */
    UNKNOWN_ENCODING,
    /** The page's URL is none, or not of a web page. */
    INVALID_URL,
    /** The payload does not decompress. */
    INVALID_PAYLOAD,
    /** The payload decompresses to more than allowed. */
    PAYLOAD_TOO_LARGE,
    /** The translator itself failed: a bug, but not the pipeline's end. */
    TRANSLATOR_FAULT
}
