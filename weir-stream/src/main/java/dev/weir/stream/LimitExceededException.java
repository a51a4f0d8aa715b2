package dev.weir.stream;

/** More elements came than {@link Source#limit} allows. */
public final class LimitExceededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long limit;

    /** Creates it for a stage that lets {@code limit} elements through. */
    public LimitExceededException(String stage, long limit) {
        super("more than " + limit + " elements came to stage " + stage);
        this.limit = limit;
    }

    /** How many elements were allowed. */
    public long limit() {
        return limit;
    }
}
