package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The figures that follow from the numbers in the values of a pass. Immutable.
 *
 * @param distinct records that came at least once
 * @param missing records that should have come and did not: of all that were ordered if the pass is complete, else
 *     holes before the last one that came, but for what may be under way where records may overtake each other
 * @param duplicates deliveries of what had come already
 * @param reordered deliveries after a later one of the same partition, or of the same key where that order is asked
 *     for; 0 where none is
 * @param foreign deliveries that nobody wrote
 * @param retried calls of handlers that failed, after which they were to be called again
 * @param redelivered deliveries of what had come already, where that is allowed (share groups, copy at least once)
 * @param topics the same of each topic, where there are several: but for {@code retried}, which is of all
 */
public record LedgerFigures(
        long distinct,
        long missing,
        long duplicates,
        long reordered,
        long foreign,
        long retried,
        long redelivered,
        List<LedgerFigures> topics) {

    /** Nothing came, and nothing should have. */
    public static final LedgerFigures NONE = new LedgerFigures(0, 0, 0, 0, 0);

    public LedgerFigures {
        topics = topics == null ? List.of() : List.copyOf(topics); // Older drivers tell none.
    }

    /** Figures of one topic. */
    public LedgerFigures(
            long distinct,
            long missing,
            long duplicates,
            long reordered,
            long foreign,
            long retried,
            long redelivered) {
        this(distinct, missing, duplicates, reordered, foreign, retried, redelivered, List.of());
    }

    /** The sum of several topics, or the one. */
    public static LedgerFigures ofTopics(List<LedgerFigures> each) {
        LedgerFigures sum = each.stream().reduce(NONE, LedgerFigures::plus);
        return each.size() == 1 ? sum : sum.with(each);
    }

    /** The same with these of its topics. */
    public LedgerFigures with(List<LedgerFigures> ofTopics) {
        return new LedgerFigures(distinct, missing, duplicates, reordered, foreign, retried, redelivered, ofTopics);
    }

    /** A ledger without failed handlers. */
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
        return new LedgerFigures(distinct, missing, duplicates, reordered, foreign, calls, redelivered, topics);
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

    /** Figures with this number of output records; each delivered record has one. */
    public LedgerFigures withOutput(long written) {
        long deliveries = distinct + duplicates;
        return new LedgerFigures(
                distinct,
                missing + Math.max(0, deliveries - written),
                duplicates + Math.max(0, written - deliveries),
                reordered,
                foreign);
    }

    /** Adds two figures. */
    public LedgerFigures plus(LedgerFigures other) {
        return new LedgerFigures(
                distinct + other.distinct,
                missing + other.missing,
                duplicates + other.duplicates,
                reordered + other.reordered,
                foreign + other.foreign,
                retried + other.retried,
                redelivered + other.redelivered,
                plus(topics, other.topics));
    }

    /** Adds ledgers by topic; a ledger of all topics belongs to none. */
    private static List<LedgerFigures> plus(List<LedgerFigures> some, List<LedgerFigures> others) {
        if (some.isEmpty() || others.isEmpty()) {
            return some.isEmpty() ? others : some;
        }
        return IntStream.range(0, some.size())
                .mapToObj(topic -> some.get(topic).plus(others.get(topic)))
                .toList();
    }
}
