package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * What the numbers in the values say of a pass. Immutable.
 *
 * @param distinct records that came at least once
 * @param missing records that should have come and did not: of all that were ordered if the pass is complete, else holes
 *     before the last one that came, but for what may be under way where records may overtake each other
 * @param duplicates deliveries of what had come already
 * @param reordered deliveries after a later one of the same partition, or of the same key where that order is asked for; 0
 *     where none is
 * @param foreign deliveries that nobody wrote
 * @param retried calls of handlers that failed, after which they were to be called again
 * @param redelivered deliveries of what had come already, where that is allowed (share groups, copy at least once)
 */
public record LedgerFigures(
        long distinct, long missing, long duplicates, long reordered, long foreign, long retried, long redelivered) {

    /** Where no handler failed. */
    public LedgerFigures(long distinct, long missing, long duplicates, long reordered, long foreign) {
        this(distinct, missing, duplicates, reordered, foreign, 0, 0);
    }

    /** More or less than was ordered, or in another order. */
    @JsonIgnore
    public boolean isBroken() {
        return missing > 0 || duplicates > 0 || foreign > 0 || reordered > 0;
    }

    /** The same, with another count of what came too late. */
    LedgerFigures withReordered(long other) {
        return new LedgerFigures(distinct, missing, duplicates, other, foreign, retried, redelivered);
    }

    /** The same, with so many calls that failed. */
    LedgerFigures withRetried(long calls) {
        return new LedgerFigures(distinct, missing, duplicates, reordered, foreign, calls, redelivered);
    }

    /** The same of a share group, which may deliver again, in any order, but must deliver all. */
    LedgerFigures asOfShareGroup() {
        return new LedgerFigures(distinct, missing, 0, 0, foreign, retried, redelivered + duplicates);
    }

    /** The same, where so many of the {@link #distinct} acknowledged records were found to have been written. */
    public LedgerFigures withWritten(long written) {
        return new LedgerFigures(
                distinct, Math.max(0, distinct - written), Math.max(0, written - distinct), reordered, foreign);
    }

    /** The same, where so many records came of the delivered ones, each of which has one. */
    public LedgerFigures withOutput(long written) {
        long deliveries = distinct + duplicates;
        return new LedgerFigures(
                distinct,
                missing + Math.max(0, deliveries - written),
                duplicates + Math.max(0, written - deliveries),
                reordered,
                foreign);
    }

    /** Of both together. */
    public LedgerFigures plus(LedgerFigures other) {
        return new LedgerFigures(
                distinct + other.distinct,
                missing + other.missing,
                duplicates + other.duplicates,
                reordered + other.reordered,
                foreign + other.foreign,
                retried + other.retried,
                redelivered + other.redelivered);
    }
}
