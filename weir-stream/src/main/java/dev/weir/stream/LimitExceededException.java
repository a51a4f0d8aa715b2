package dev.weir.stream;

/** Thrown when elements exceed {@link Source#limit} or {@link Source#limitWeighted}. Immutable. */
public final class LimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long limit;

    /**
     * Creates the exception for a stage with this limit.
     *
     * @param inUnit the unit of the limit, for instance {@code elements}
     */
    public LimitExceededException(String stage, long limit, String inUnit) {
        super("more than " + limit + " " + inUnit + " reached stage " + stage);
        this.limit = limit;
    }

    /** The limit, in elements or units of weight. */
    public long limit() {
        return limit;
    }
}
