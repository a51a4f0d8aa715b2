package dev.weir.kafka.internal.view;

import dev.weir.kafka.view.EncodedRecords;
import dev.weir.kafka.view.RecordOutput;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.LeanRecords;

/** What an encoder sent of an element. Confined to one thread at a time; used again. */
public final class Encoded implements EncodedRecords, RecordOutput {

    private final ViewPool home;
    private final LeanRecords records = new LeanRecords();
    private final LeanRecord filled = new LeanRecord("");

    Encoded(ViewPool home) {
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

    /** In the order in which they were sent. */
    public LeanRecords records() {
        return records;
    }

    void clear() {
        records.clear();
    }

    /** It is done with. */
    public void release() {
        home.give(this);
    }
}
