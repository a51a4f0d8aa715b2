package dev.weir.kafka.internal.in.buffer;

import java.util.Collection;

/** The buffers that receive the records of each partition. Confined to the owner thread unless noted otherwise. */
public interface RecordOutlets {

    /** Sets the buffer of a newly assigned partition. */
    void open(AssignedPartition partition);

    /** Removes partitions and their buffered records. */
    void withdrawn(Collection<AssignedPartition> partitions);

    /** Ends all buffers. Nothing more will be added. */
    void end();

    /** Returns the number of records in all buffers. May be called from any thread. */
    int records();

    /** Returns the number of buffered records, without partitions paused by the user. May be called from any thread. */
    default int ready() {
        return records();
    }

    /** Returns outlets that use one buffer for all partitions. */
    static RecordOutlets single(RecordBuffer buffer) {
        return new RecordOutlets() {
            @Override
            public void open(AssignedPartition partition) {
                partition.goOutBy(buffer);
            }

            @Override
            public void withdrawn(Collection<AssignedPartition> partitions) {}

            @Override
            public void end() {
                buffer.end();
            }

            @Override
            public int records() {
                return buffer.records();
            }

            @Override
            public int ready() {
                return buffer.ready();
            }
        };
    }
}
