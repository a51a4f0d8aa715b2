package dev.weir.cli.pipeline;

/**
 * Counts the records that went into a pipeline and came out of it. All counts of a reading belong to one moment, and no
 * count ever decreases. Confined to one thread.
 *
 * <p>A dead-letter record is counted when it is made, but written together with all other output, so it is not known
 * how many of the dead-letter records in flight have been written. Therefore {@code out} is a lower bound, while
 * {@code out + dead} is exact. Once the pipeline has ended, all counts are exact.
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
     * Takes the next counts. For consistent results, read the counters in the order of the parameters, that is, from
     * the end of the pipeline to its beginning.
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
        // At most the records that have no output can have been given up.
        givenUp = Math.min(Math.max(givenUp, dropped), read - out - dead);
        last = new Moment(read, out, dead, read - out - dead - givenUp);
        return last;
    }

    /** Returns the counts once nothing is in flight. Records that are still missing will not be written any more. */
    public Moment settled() {
        givenUp = last.in - last.out - last.dead;
        last = new Moment(last.in, last.out, last.dead, 0);
        return last;
    }
}
