package dev.weir.stream;

/** More came than {@link Source#limit} or {@link Source#limitWeighted} allows. */
public final class LimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long limit;

    /**
     * Creates it for a stage that lets {@code limit} through, which is counted {@code inUnit}: elements, for instance.
     */
    public LimitExceededException(String stage, long limit, String inUnit) {
        super("more than " + limit + " " + inUnit + " came to stage " + stage);
        this.limit = limit;
    }

    /** The number of elements that were allowed, or how much weight. */
    public long limit() {
        return limit;
    }
}
