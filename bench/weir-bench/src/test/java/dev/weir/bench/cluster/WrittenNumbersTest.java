package dev.weir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class WrittenNumbersTest {

    private final WrittenNumbers written = new WrittenNumbers(2, 3);

    private void add(int partition, long offset, long number) {
        written.add(partition, offset, ByteBuffer.allocate(16).putLong(number).array());
    }

    @Test
    void topic_withEachRecordOnce_tellsThat() {
        for (int number = 0; number < 3; number++) {
            add(0, number, number);
            add(1, number, number);
        }
        assertThat(written.told())
                .isEqualTo("of 6 records, 0 are not in the topic, 0 were written again,"
                        + " and 0 other records are in the topic");
    }

    @Test
    void topic_withOneRecordTwiceAndOneMissing_namesBoth() {
        add(0, 0, 0);
        add(0, 1, 1);
        add(0, 2, 2);
        add(1, 0, 0);
        add(1, 1, 2);
        add(1, 2, 0);
        assertThat(written.told())
                .isEqualTo("of 6 records, 1 are not in the topic (number 1 of partition 1), 1 were written again"
                        + " (number 0 of partition 1 at offsets 0 and 2), and 0 other records are in the topic");
    }

    @Test
    void record_thatNobodyWrote_isTold() {
        add(0, 0, 7);
        written.add(0, 1, new byte[3]);
        assertThat(written.told()).endsWith("and 2 other records are in the topic");
    }
}
