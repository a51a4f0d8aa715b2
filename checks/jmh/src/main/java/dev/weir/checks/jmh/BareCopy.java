package dev.weir.checks.jmh;

import dev.weir.drivers.kafka.BareRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicPartition;

/**
 * A minimal copy program that shows the highest possible copy rate. {@link BareLoop} always has the next fetch in
 * flight, and {@link BareProduce} sends each batch unchanged from the receive buffer, one batch per partition in a
 * request. Only the kernel copies bytes.
 *
 * <p>Optionally, it does the minimum work of a program that passes each value to a function and writes the result: it
 * verifies the batch's checksum, copies the bytes into a new batch, and computes the new checksum. Confined to one
 * thread.
 */
final class BareCopy {
    private static final int MAX_BATCHES = 1 << 16; // the number of batches of one partition in a response

    private BareCopy() {}

    /**
     * Copies a topic up to the given end offsets. Returns when all batches are acknowledged.
     *
     * @param touched whether to compute both checksums and copy the bytes
     */
    static void run(String bootstrap, Map<TopicPartition, Long> ends, BareProduce to, boolean touched)
            throws IOException {
        new BareLoop(bootstrap, ends, new Forward(ends.size(), to, touched)).run();
        to.flush();
    }

    private static final class Forward implements BareLoop.Batches {
        private final BareProduce to;
        private final int[][] starts;
        private final int[][] ends;
        private final int[] counts;
        private final int[][] places;
        private final boolean touched;
        private final CRC32C crc = new CRC32C();
        private ByteBuffer answer = ByteBuffer.allocate(0);

        /** Holds the copies of the current response's batches. */
        private ByteBuffer own = ByteBuffer.allocate(0);

        Forward(int partitions, BareProduce to, boolean touched) {
            this.to = to;
            this.touched = touched;
            this.starts = new int[partitions][MAX_BATCHES];
            this.ends = new int[partitions][MAX_BATCHES];
            this.counts = new int[partitions];
            this.places = new int[partitions][3];
        }

        @Override
        public void batch(int partition, ByteBuffer bytes, int from, int to) {
            answer = touched ? touch(bytes, from, to) : bytes;
            int at = counts[partition]++;
            starts[partition][at] = from;
            ends[partition][at] = to;
        }

        private ByteBuffer touch(ByteBuffer bytes, int from, int to) {
            if (own.capacity() < bytes.capacity()) {
                own = ByteBuffer.allocateDirect(bytes.capacity());
            }
            sum(bytes, from, to);
            own.clear().put(from, bytes, from, to - from);
            sum(own, from, to);
            return own;
        }

        private void sum(ByteBuffer of, int from, int to) {
            crc.reset();
            crc.update(of.duplicate().limit(to).position(from + BareRequest.BATCH_ATTRIBUTES));
            if (crc.getValue() != Integer.toUnsignedLong(of.getInt(from + BareRequest.BATCH_CRC))) {
                throw new IllegalStateException("a batch's checksum is not its bytes'");
            }
        }

        @Override
        public void end() throws IOException {
            for (int each = 0; forwardEach(each); each++) {
                // Sends one batch from each partition with any batches left.
            }
            Arrays.fill(counts, 0);
        }

        private boolean forwardEach(int number) throws IOException {
            int some = 0;
            for (int partition = 0; partition < counts.length; partition++) {
                if (number < counts[partition]) {
                    places[some][0] = partition;
                    places[some][1] = starts[partition][number];
                    places[some][2] = ends[partition][number];
                    some++;
                }
            }
            if (some > 0) {
                to.forward(answer, places, some);
            }
            return some > 0;
        }
    }
}
