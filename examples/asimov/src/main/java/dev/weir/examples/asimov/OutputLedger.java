package dev.weir.examples.asimov;

import java.util.Arrays;
import java.util.BitSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Checks the output of a run. It receives every record that was read back from the output topic and the dead-letter
 * topic, and reports events that are missing, duplicated, out of order, in the wrong topic or under the wrong key.
 * Confined to one thread.
 *
 * <p>Pass it the records of each partition in offset order; partitions may be interleaved. It keeps one bit per event
 * and two numbers per session, regardless of the number of records.
 */
public final class OutputLedger {
    private static final long NONE_YET = -1;

    private final EventGenerator generator;
    private final int eventsIn;

    private final BitSet seen;
    private final long[] lastOutput = new long[EventGenerator.SESSIONS];
    private final long[] lastDeadLetter = new long[EventGenerator.SESSIONS];

    private long recordsOut;
    private long deadLettered;
    private long duplicates;
    private long outOfOrder;
    private long misplaced;
    private long foreign;

    /**
     * Creates a ledger for the events 0 to {@code eventsIn} - 1 of {@code generator}.
     *
     * @param eventsIn at least 0
     */
    public OutputLedger(EventGenerator generator, int eventsIn) {
        if (eventsIn < 0) {
            throw new IllegalArgumentException("eventsIn must be at least 0: eventsIn=" + eventsIn);
        }
        this.generator = generator;
        this.eventsIn = eventsIn;
        this.seen = new BitSet(eventsIn);
        Arrays.fill(lastOutput, NONE_YET);
        Arrays.fill(lastDeadLetter, NONE_YET);
    }

    /** Adds a record of the output topic. */
    public void output(ConsumerRecord<byte[], byte[]> record) {
        recordsOut++;
        book(record, lastOutput, false);
    }

    /** Adds a record of the dead-letter topic. */
    public void deadLetter(ConsumerRecord<byte[], byte[]> record) {
        deadLettered++;
        book(record, lastDeadLetter, true);
    }

    private void book(ConsumerRecord<byte[], byte[]> record, long[] lastBySession, boolean asMalformed) {
        long sequence = EventGenerator.sequence(record.headers());
        if (sequence < 0 || sequence >= eventsIn) {
            foreign++;
            return;
        }
        if (seen.get((int) sequence)) {
            duplicates++;
            return;
        }
        seen.set((int) sequence);
        int session = generator.session(sequence);
        if (!Arrays.equals(record.key(), generator.key(session))
                || generator.malformed(sequence).isPresent() != asMalformed) {
            misplaced++;
        }
        if (sequence < lastBySession[session]) {
            outOfOrder++;
        } else {
            lastBySession[session] = sequence;
        }
    }

    /** Returns the current state of the ledger. */
    public Summary summary() {
        return new Summary(
                eventsIn,
                recordsOut,
                deadLettered,
                eventsIn - seen.cardinality(),
                duplicates,
                outOfOrder,
                misplaced,
                foreign);
    }

    /**
     * The results of checking a run. Immutable.
     *
     * @param recordsIn number of events in the input
     * @param recordsOut records in the output topic, including duplicates
     * @param deadLettered records in the dead-letter topic, including duplicates
     * @param lost events that are in neither topic
     * @param duplicates records whose event was already seen in either topic
     * @param outOfOrder events first seen after a later event of the same session in the same topic
     * @param misplaced events first seen in the wrong topic, or under a key other than their session
     * @param foreign records that do not belong to this run
     */
    public record Summary(
            long recordsIn,
            long recordsOut,
            long deadLettered,
            long lost,
            long duplicates,
            long outOfOrder,
            long misplaced,
            long foreign) {

        /** Returns whether every event was written exactly once, in order and to the right place. */
        public boolean flawless() {
            return lost == 0 && duplicates == 0 && outOfOrder == 0 && misplaced == 0 && foreign == 0;
        }
    }
}
