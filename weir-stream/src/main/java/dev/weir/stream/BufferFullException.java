package dev.weir.stream;

/**
 * Thrown when an element arrives at a full {@link Source#buffer buffer} with {@link OverflowStrategy#FAIL}. Immutable.
 */
public final class BufferFullException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int capacity;

    /** Creates the exception for a full buffer of {@code capacity} elements. */
    public BufferFullException(int capacity) {
        super("the buffer is full: capacity=" + capacity);
        this.capacity = capacity;
    }

    /** The buffer's capacity in elements. */
    public int capacity() {
        return capacity;
    }
}
