package dev.weir.kafka.internal.share.session;

import org.apache.kafka.clients.consumer.AcknowledgeType;

/**
 * An acquired offset of an unreadable batch other than the one whose record stands for the batch. Its acknowledgement
 * is the same as that record's. Immutable.
 *
 * @param record stands for the batch
 */
record RestOfBatch(String topic, int partition, long offset, LockedRecord record) implements LockedRecord {

    @Override
    public boolean giveBack() {
        return false; // It goes back when the record has.
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
