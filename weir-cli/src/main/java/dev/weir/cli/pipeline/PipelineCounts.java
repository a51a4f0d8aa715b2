package dev.weir.cli.pipeline;

/**
 * Counts what went in and came out of a pipeline, each of one moment and never less than before. Confined to one
 * thread.
 *
 * <p>A dead letter is counted where it is made, and as written with all the other output: which of those on their way
 * have arrived is not known. So {@code out} is at least what it says, {@code out + dead} is exact,
 * and both are at the end.
 */
public final class PipelineCounts {

    /**
     * Counts of one moment.
     *
     * @param in records read
     * @param out records written, without dead letters
     * @param dead dead letters written
     * @param inFlight records read of which nothing is written yet: {@code in - out - dead}, without those dropped
     */
    public record Moment(long in, long out, long dead, long inFlight) {}

    private Moment last = new Moment(0, 0, 0, 0);

    /** Records that were read and will not be written: those of partitions that went away. */
    private long givenUp;

    /**
     * The next moment. To be of one, the counters must be read in the order of the parameters, against the stream.
     *
     * @param written by the output stage, dead letters among them
     * @param deadWritten dead letters written by another than the output stage
     * @param deadMade dead letters among those of the output stage, written or on their way
     * @param dropped records read that will not be written, because their assignment has ended
     * @param in records read
     */
    public Moment next(long written, long deadWritten, long deadMade, long dropped, long in) {
        long out = Math.max(last.out, written - Math.min(written, deadMade));
        long dead = Math.max(last.dead, written - out + deadWritten);
        long read = Math.max(Math.max(last.in, in), out + dead);
        // What came after all was not given up.
        givenUp = Math.min(Math.max(givenUp, dropped), read - out - dead);
        last = new Moment(read, out, dead, read - out - dead - givenUp);
        return last;
    }

    /** Counts once nothing is in flight: what is missing will not come any more. */
    public Moment settled() {
        givenUp = last.in - last.out - last.dead;
        last = new Moment(last.in, last.out, last.dead, 0);
        return last;
    }
}
