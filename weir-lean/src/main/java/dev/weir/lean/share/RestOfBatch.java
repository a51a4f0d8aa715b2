package dev.weir.lean.share;

import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * An acquired offset of an unreadable batch that one record represents. It gets the same acknowledgement as that
 * record. Immutable.
 *
 * @param record the record that represents the batch
 */
record RestOfBatch(String topic, int partition, long offset, LockedRecord record) implements LockedRecord {

    @Override
    public boolean isOf(ConsumerRecord<byte[], byte[]> other) {
        return false;
    }

    @Override
    public boolean giveBack() {
        return false; // The offset is released together with the record that represents the batch.
    }

    @Override
    public boolean lose() {
        return false;
    }

    @Override
    public boolean isGone() {
        return record.isGone();
    }

    @Override
    public boolean isAtRisk() {
        return record.isAtRisk();
    }

    @Override
    public boolean isLastDelivery() {
        return record.isLastDelivery();
    }

    @Override
    public boolean isOffered() {
        return record.isOffered();
    }

    @Override
    public AcknowledgeType outcome() {
        return record.outcome();
    }
}
