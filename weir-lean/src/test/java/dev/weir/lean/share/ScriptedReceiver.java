package dev.weir.lean.share;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/** A receiver that stores reports. A test sets the states of its acquired records. */
class ScriptedReceiver implements AcquiredRecordReceiver {

    final List<ScriptedRecord> acquired = new ArrayList<>();
    final List<Long> lost = new ArrayList<>();
    final List<Long> wentBack = new ArrayList<>();
    final List<String> confirmed = new ArrayList<>();
    final List<String> refused = new ArrayList<>();
    final List<String> notRenewed = new ArrayList<>();
    final List<String> skipped = new ArrayList<>();
    final List<KafkaException> fatal = new ArrayList<>();
    final List<String> fetched = new ArrayList<>();
    Unreadable unreadable = Unreadable.FAIL;
    boolean renews = true;
    boolean over;
    int passedBy;
    int finished;
    final List<Long> finishedNanos = new ArrayList<>();

    /** Offsets after unreadable batches. */
    final List<Long> nextOffsets = new ArrayList<>();

    int emptied;
    int acquiredAll;
    boolean demand = true;

    /** Outcomes of an unreadable batch. */
    enum Unreadable {
        FAIL,
        SKIP,
        PASS_ON
    }

    static final class ScriptedRecord implements LockedRecord {

        final ConsumerRecord<byte[], byte[]> record;
        boolean taken;
        boolean done;
        boolean gone;
        boolean atRisk;
        boolean lastDelivery;
        boolean offered = true;
        AcknowledgeType outcome = AcknowledgeType.ACCEPT;

        ScriptedRecord(ConsumerRecord<byte[], byte[]> record) {
            this.record = record;
        }

        static ScriptedRecord at(long offset) {
            return new ScriptedRecord(new ConsumerRecord<>("topic", 0, offset, new byte[0], new byte[0]));
        }

        @Override
        public String topic() {
            return record.topic();
        }

        @Override
        public int partition() {
            return record.partition();
        }

        @Override
        public long offset() {
            return record.offset();
        }

        @Override
        public boolean isOf(ConsumerRecord<byte[], byte[]> other) {
            return record == other;
        }

        boolean isOpen() {
            return !done && !gone;
        }

        @Override
        public boolean giveBack() {
            return !taken && lose();
        }

        @Override
        public boolean lose() {
            boolean wasOpen = isOpen();
            gone |= wasOpen;
            return wasOpen;
        }

        @Override
        public boolean isGone() {
            return gone;
        }

        @Override
        public boolean isAtRisk() {
            return atRisk;
        }

        @Override
        public boolean isLastDelivery() {
            return lastDelivery;
        }

        @Override
        public boolean isOffered() {
            return offered;
        }

        @Override
        public AcknowledgeType outcome() {
            return outcome;
        }
    }

    @Override
    public boolean hasDemand() {
        return demand && !over;
    }

    @Override
    public boolean isEnded() {
        return over;
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public boolean renewsLocks() {
        return renews;
    }

    @Override
    public ScriptedRecord receive(ConsumerRecord<byte[], byte[]> record) {
        ScriptedRecord locked = new ScriptedRecord(record);
        acquired.add(locked);
        return locked;
    }

    @Override
    public boolean skipsUnreadable(TopicPartition partition, long baseOffset, KafkaException fault) {
        if (unreadable == Unreadable.FAIL) {
            throw new IllegalStateException(partition + "@" + baseOffset + ": " + fault.getMessage());
        }
        return unreadable == Unreadable.SKIP;
    }

    @Override
    public LockedRecord receiveUnreadable(
            TopicPartition partition,
            long offset,
            long nextOffset,
            byte[] bytes,
            KafkaException fault,
            short deliveryCount) {
        nextOffsets.add(nextOffset);
        return receive(new ConsumerRecord<>(partition.topic(), partition.partition(), offset, new byte[0], bytes));
    }

    @Override
    public RuntimeException corrupt(TopicPartition partition, long offset, String reason) {
        return new IllegalStateException(partition + "@" + offset + ": the log is corrupt here (" + reason + ")");
    }

    @Override
    public void acquiredAll() {
        acquiredAll++;
    }

    @Override
    public void fetched(int records, long nanos, boolean idle) {
        fetched.add(records + " " + nanos + (idle ? " idle" : ""));
    }

    @Override
    public void emptied() {
        emptied++;
    }

    @Override
    public void finished(long nanosSinceAcquired) {
        finishedNanos.add(nanosSinceAcquired);
        finished++;
    }

    @Override
    public void passedBy(int records) {
        if (records < 1) {
            throw new IllegalArgumentException("no records: " + records);
        }
        passedBy += records;
    }

    @Override
    public void skipped(String topic, int partition, long from, long to) {
        skipped.add(topic + "-" + partition + "@" + from + ".." + to);
    }

    @Override
    public void goesBack(LockedRecord locked) {
        wentBack.add(locked.offset());
    }

    @Override
    public void lost(LockedRecord locked) {
        if (locked.lose()) {
            lost.add(locked.offset());
        }
    }

    @Override
    public void confirmed(AcknowledgeType type, int records, long nanos) {
        confirmed.add(type + " " + records + " " + nanos);
    }

    @Override
    public void refused(String place, AcknowledgeType type, int records, String reason) {
        refused.add(place + " " + type + " " + records + " " + reason);
    }

    @Override
    public void notRenewed(String place, int records, String reason) {
        notRenewed.add(place + " " + records + " " + reason);
    }

    @Override
    public void fatal(KafkaException fault) {
        fatal.add(fault);
    }
}
