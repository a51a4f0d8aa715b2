package dev.weir.kafka.internal.in.view;

import dev.weir.kafka.view.EncodedRecords;
import dev.weir.kafka.view.RecordOutput;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.LeanRecords;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.internals.ByteUtils;

/** The records that an encoder sent for one element. Reused. Confined to one thread at a time. */
public final class EncodedElement implements EncodedRecords, RecordOutput {

    private final ViewPool home;
    private final LeanRecords records = new LeanRecords();
    private final LeanRecord filled = new LeanRecord("");

    EncodedElement(ViewPool home) {
        this.home = home;
    }

    @Override
    public LeanRecord record(String topic) {
        return filled.topic(topic).reset();
    }

    @Override
    public void send(LeanRecord record) {
        records.add(record);
    }

    @Override
    public int count() {
        return records.count();
    }

    @Override
    public int sizeBytes() {
        return records.sizeBytes();
    }

    /** Returns the records in the order in which they were sent. */
    public LeanRecords records() {
        return records;
    }

    /** Copies each record into an object with its own byte arrays, then releases this element. */
    public List<ProducerRecord<byte[], byte[]>> unfold() {
        List<ProducerRecord<byte[], byte[]>> unfolded = new ArrayList<>(count());
        for (int i = 0; i < count(); i++) {
            int partition = records.partition(i);
            long timestamp = records.timestampMillis(i);
            ByteBuffer content = records.content(i);
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    records.topic(i),
                    partition == LeanRecord.ANY_PARTITION ? null : partition,
                    timestamp == LeanRecord.NOW ? null : timestamp,
                    part(content),
                    part(content));
            for (int left = ByteUtils.readVarint(content); left > 0; left--) {
                record.headers().add(new String(part(content), StandardCharsets.UTF_8), part(content));
            }
            unfolded.add(record);
        }
        release();
        return unfolded;
    }

    @SuppressWarnings("NullAway") // null for a missing key or value
    private static byte[] part(ByteBuffer from) {
        int length = ByteUtils.readVarint(from);
        if (length < 0) {
            return null;
        }
        byte[] part = new byte[length];
        from.get(part);
        return part;
    }

    void clear() {
        records.clear();
    }

    /** Returns the element to its pool. The caller must not use it afterwards. */
    public void release() {
        home.give(this);
    }
}
