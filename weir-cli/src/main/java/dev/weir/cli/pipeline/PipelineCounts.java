package dev.weir.cli.pipeline;

/**
 * Counts what went in and came out of a pipeline, each of one moment and never less than before. Confined to one
 * thread.
 *
 * <p>A dead-letter record is counted when it is made, but written together with all other output, so it is not known
 * which of those in flight have arrived. So {@code out} is a lower bound, {@code out + dead} is exact, and at the end
 * both are exact.
 */
public final class PipelineCounts {

    /**
     * Counts of one moment.
     *
     * @param in records read
     * @param out records written, without dead-letter records
     * @param dead dead-letter records written
     * @param inFlight records read without output yet: {@code in - out - dead}, without dropped ones
     */
    public record Moment(long in, long out, long dead, long inFlight) {}

    private Moment last = new Moment(0, 0, 0, 0);

    /** Records that were read and will not be written, because their partition was revoked. */
    private long givenUp;

    /**
     * Takes the next counts. To be consistent, the counters must be read in the order of the parameters, against the
     * stream.
     *
     * @param written records written by the output stage, including dead-letter records
     * @param deadWritten dead-letter records written by another stage
     * @param deadMade dead-letter records of the output stage, written or in flight
     * @param dropped records read that will not be written, because their assignment has ended
     * @param in records read
     */
    public Moment next(long written, long deadWritten, long deadMade, long dropped, long in) {
        long out = Math.max(last.out, written - Math.min(written, deadMade));
        long dead = Math.max(last.dead, written - out + deadWritten);
        long read = Math.max(Math.max(last.in, in), out + dead);
        // The remainder after all records that were not given up.
        givenUp = Math.min(Math.max(givenUp, dropped), read - out - dead);
        last = new Moment(read, out, dead, read - out - dead - givenUp);
        return last;
    }

    /** Counts once nothing is in flight: missing records will not arrive any more. */
    public Moment settled() {
        givenUp = last.in - last.out - last.dead;
        last = new Moment(last.in, last.out, last.dead, 0);
        return last;
    }
}
