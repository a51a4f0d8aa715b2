package dev.weir.lean;

/**
 * The headers of a record, one after the other. Confined to the polling thread, valid during the callback.
 *
 * <pre>{@code
 * HeadersView headers = record.headers();
 * while (headers.next()) {
 *     use(headers.key(), headers.value());
 * }
 * }</pre>
 */
public interface HeadersView {

    /** The number of them. */
    int count();

    /** Goes to the next one; false after the last. */
    boolean next();

    /** Its key, as UTF-8; never null. */
    Slice key();

    /** Its value; may be null. */
    Slice value();

    /** Goes to the next one with that key, given as UTF-8; false if there is none. */
    default boolean next(byte[] key) {
        while (next()) {
            if (key().contentEquals(key)) {
                return true;
            }
        }
        return false;
    }
}
