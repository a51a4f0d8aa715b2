package dev.weir.cli.pipeline;

/**
 * Counts the records that entered and left a pipeline. All counts of a {@link Moment} describe the same moment, and
 * {@code in}, {@code out} and {@code dead} never decrease. Confined to one thread.
 *
 * <p>A dead-letter record counts when it is created, before it is written with the other output. While dead-letter
 * records are in flight, {@code out} is a lower bound, but {@code out + dead} is exact. All counts are exact once the
 * pipeline has ended.
 */
public final class PipelineCounts {

    /**
     * Counts of one moment.
     *
     * @param in records read
     * @param out records written, without dead-letter records
     * @param dead dead-letter records written
     * @param inFlight records read that have no output yet: {@code in - out - dead}, without dropped records
     */
    public record Moment(long in, long out, long dead, long inFlight) {}

    private Moment last = new Moment(0, 0, 0, 0);

    /** Records that were read and will not be written, because their partition was revoked. */
    private long givenUp;

    /**
     * Updates and returns the counts. Read the counters in the order of the parameters: from the end of the pipeline to
     * its beginning.
     *
     * @param written records written by the output stage, including dead-letter records
     * @param deadWritten dead-letter records written by another stage
     * @param deadMade dead-letter records of the output stage, written or in flight
     * @param dropped records that were read but will not be written, because their partition was revoked
     * @param in records read
     */
    public Moment next(long written, long deadWritten, long deadMade, long dropped, long in) {
        long out = Math.max(last.out, written - Math.min(written, deadMade));
        long dead = Math.max(last.dead, written - out + deadWritten);
        long read = Math.max(Math.max(last.in, in), out + dead);
        // Only records without output can be dropped.
        givenUp = Math.min(Math.max(givenUp, dropped), read - out - dead);
        last = new Moment(read, out, dead, read - out - dead - givenUp);
        return last;
    }

    /** Returns the final counts. Records without output count as dropped. Call this when nothing is in flight. */
    public Moment settled() {
        givenUp = last.in - last.out - last.dead;
        last = new Moment(last.in, last.out, last.dead, 0);
        return last;
    }
}
