package dev.weir.lean;

/**
 * A cursor over the headers of a record. Confined to the polling thread, valid during the callback.
 *
 * <pre>{@code
 * HeadersView headers = record.headers();
 * while (headers.next()) {
 *     use(headers.key(), headers.value());
 * }
 * }</pre>
 */
public interface HeadersView {

    /** The number of headers. */
    int count();

    /** Moves to the next header. Returns false if there is none. */
    boolean next();

    /** The current header's key, as UTF-8; never null. */
    Slice key();

    /** The current header's value; may be null. */
    Slice value();

    /** Moves to the next header with the given key in UTF-8. Returns false if there is none. */
    default boolean next(byte[] key) {
        while (next()) {
            if (key().contentEquals(key)) {
                return true;
            }
        }
        return false;
    }
}
