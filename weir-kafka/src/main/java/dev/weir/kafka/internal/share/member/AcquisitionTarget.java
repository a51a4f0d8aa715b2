package dev.weir.kafka.internal.share.member;

import dev.weir.stream.spi.AckTarget;
import java.util.List;

/**
 * Receives the acknowledgements of records that the pipeline took as one batch. A token is the index of a record in the
 * batch. Thread-safe.
 */
final class AcquisitionTarget implements AckTarget {

    private final List<AcquiredRecord> records;

    AcquisitionTarget(List<AcquiredRecord> records) {
        this.records = records;
    }

    private AcquiredRecord at(long token) {
        return records.get((int) token);
    }

    @Override
    public void ack(long token) {
        at(token).endAcknowledgement();
    }

    @Override
    public void forgo(long token) {
        at(token).abandon();
    }

    @Override
    public void abandon(long token) {
        at(token).abandon();
    }

    @Override
    public boolean dropIfRevoked(long token) {
        AcquiredRecord record = at(token);
        if (!record.isGone()) {
            return false;
        }
        record.endAcknowledgement();
        return true;
    }

    @Override
    public boolean isRevoked(long token) {
        return at(token).isGone();
    }

    @Override
    public String placeOf(long token) {
        return at(token).name();
    }

    @Override
    public void retain(long token, int count) {
        at(token).retain(count);
    }
}
