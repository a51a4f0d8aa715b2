package dev.weir.kafka.internal.in.buffer;

import java.util.Collection;

/** The outlets of the records of each partition. Called by the owner thread, but for {@link #records}. */
public interface RecordOutlets {

    /** Gives a partition that was just assigned its buffer, before any other thread can see the partition. */
    void open(AssignedPartition partition);

    /** The partitions are gone, and with them what was buffered of them. */
    void withdrawn(Collection<AssignedPartition> partitions);

    /** Ends the outlets: nothing more will be added to any buffer, and no other will be opened. */
    void end();

    /** Records in all buffers. Any thread. */
    int records();

    /** The number of them that no user holds back. Any thread. */
    default int ready() {
        return records();
    }

    /** One buffer for all partitions. */
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
