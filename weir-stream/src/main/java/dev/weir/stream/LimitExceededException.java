package dev.weir.stream;

/** Thrown when more elements or weight arrive than {@link Source#limit} or {@link Source#limitWeighted} allows. */
public final class LimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long limit;

    /** Creates the exception of a stage with this limit, counted {@code inUnit}: for instance elements. */
    public LimitExceededException(String stage, long limit, String inUnit) {
        super("more than " + limit + " " + inUnit + " came to stage " + stage);
        this.limit = limit;
    }

    /** The limit, in elements or weight. */
    public long limit() {
        return limit;
    }
}
