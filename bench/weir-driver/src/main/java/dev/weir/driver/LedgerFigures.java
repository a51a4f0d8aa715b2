package dev.weir.driver;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The delivery counts of a pass, derived from its record numbers. Immutable.
 *
 * @param distinct records delivered at least once
 * @param missing undelivered records; in an incomplete pass, without records that may be in flight
 * @param duplicates repeated deliveries
 * @param reordered records delivered after a later record of the same partition, or of the same key if that order was
 *     requested; 0 without ordering
 * @param foreign deliveries of records that were never written
 * @param retried failed handler calls that required a retry
 * @param redelivered repeated deliveries where they are allowed (share groups, copy at least once)
 * @param topics the same figures per topic if there are several, without {@code retried}, which covers all topics
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

    /** No record was delivered, and none was expected. */
    public static final LedgerFigures NONE = new LedgerFigures(0, 0, 0, 0, 0);

    public LedgerFigures {
        topics = topics == null ? List.of() : List.copyOf(topics); // older drivers report none
    }

    /** The figures of one topic. */
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

    /**
     * Returns the sum of the delivery counts of several topics. The sum also contains the counts of each topic. If
     * there is only one topic, returns its counts.
     */
    public static LedgerFigures ofTopics(List<LedgerFigures> each) {
        LedgerFigures sum = each.stream().reduce(NONE, LedgerFigures::plus);
        return each.size() == 1 ? sum : sum.with(each);
    }

    /** Returns a copy with the given delivery counts of the individual topics. */
    public LedgerFigures with(List<LedgerFigures> ofTopics) {
        return new LedgerFigures(distinct, missing, duplicates, reordered, foreign, retried, redelivered, ofTopics);
    }

    /** A ledger without failed handlers. */
    public LedgerFigures(long distinct, long missing, long duplicates, long reordered, long foreign) {
        this(distinct, missing, duplicates, reordered, foreign, 0, 0);
    }

    /** Returns whether records were lost, repeated or reordered. */
    @JsonIgnore
    public boolean isBroken() {
        return missing > 0 || duplicates > 0 || foreign > 0 || reordered > 0;
    }

    LedgerFigures withReordered(long other) {
        return new LedgerFigures(distinct, missing, duplicates, other, foreign, retried, redelivered);
    }

    LedgerFigures withRetried(long calls) {
        return new LedgerFigures(distinct, missing, duplicates, reordered, foreign, calls, redelivered, topics);
    }

    /** Returns a copy for a share group: duplicates count as redeliveries, and reordered records are not counted. */
    LedgerFigures asOfShareGroup() {
        return new LedgerFigures(distinct, missing, 0, 0, foreign, retried, redelivered + duplicates);
    }

    /**
     * Returns the counts of a producer after its topic was checked. The {@link #distinct} records were acknowledged,
     * and {@code written} records were found in the topic. The difference counts as missing or as duplicates.
     */
    public LedgerFigures withWritten(long written) {
        return new LedgerFigures(
                distinct, Math.max(0, distinct - written), Math.max(0, written - distinct), reordered, foreign);
    }

    /** Returns a copy with this number of output records. Each delivered record must have one output record. */
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

    /** Adds the counts topic by topic. If one list is empty, returns the other list. */
    private static List<LedgerFigures> plus(List<LedgerFigures> some, List<LedgerFigures> others) {
        if (some.isEmpty() || others.isEmpty()) {
            return some.isEmpty() ? others : some;
        }
        return IntStream.range(0, some.size())
                .mapToObj(topic -> some.get(topic).plus(others.get(topic)))
                .toList();
    }
}
