package dev.weir.checks.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * What can be copied at most: {@link BareLoop} fetches, the next answer under way, and each batch goes as it is from
 * where it was received into {@link BareProduce}, one of each partition in a request. No record is looked at, no
 * checksum computed, no byte copied but by the kernel. Confined to one thread.
 */
final class BareCopy {
    private static final int MAX_BATCHES = 1 << 16; // of a partition in an answer

    private BareCopy() {}

    /** Copies a topic up to these ends; returns when all is acknowledged. */
    static void run(String bootstrap, Map<TopicPartition, Long> ends, BareProduce to) throws IOException {
        new BareLoop(bootstrap, ends, new Forward(ends.size(), to)).run();
        to.flush();
    }

    private static final class Forward implements BareLoop.Batches {
        private final BareProduce to;
        private final int[][] starts;
        private final int[][] ends;
        private final int[] counts;
        private final int[][] places;
        private ByteBuffer answer = ByteBuffer.allocate(0);

        Forward(int partitions, BareProduce to) {
            this.to = to;
            this.starts = new int[partitions][MAX_BATCHES];
            this.ends = new int[partitions][MAX_BATCHES];
            this.counts = new int[partitions];
            this.places = new int[partitions][3];
        }

        @Override
        public void batch(int partition, ByteBuffer bytes, int from, int to) {
            answer = bytes;
            int at = counts[partition]++;
            starts[partition][at] = from;
            ends[partition][at] = to;
        }

        @Override
        public void end() throws IOException {
            for (int each = 0; forwardEach(each); each++) {
                // One batch of each partition that has as many.
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
