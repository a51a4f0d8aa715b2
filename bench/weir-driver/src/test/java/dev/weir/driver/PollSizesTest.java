package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.Test;

class PollSizesTest {
    private final PollSizes sizes = new PollSizes();

    private static Histogram histogram(Report.Polls polls) throws Exception {
        byte[] bytes = Base64.getDecoder().decode(polls.sizes());
        return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0);
    }

    @Test
    void ownLoop_tellsEmptyPollsApart() throws Exception {
        sizes.polled(0);
        sizes.polled(8);
        sizes.polled(500);
        sizes.polled(0);
        sizes.polled(0);
        Report.Polls told = Objects.requireNonNull(sizes.take());
        assertThat(told.empty()).isEqualTo(3);
        assertThat(histogram(told).getTotalCount()).isEqualTo(2);
        assertThat(histogram(told).getMaxValue()).isEqualTo(500);
        assertThat(sizes.take()).as("all was taken").isNull();
    }

    @Test
    void onlyEmptyPolls_haveNoSizes() {
        sizes.polled(0);
        assertThat(sizes.take()).isEqualTo(new Report.Polls("", 1));
    }

    @Test
    void libraryOfOthers_hasUnknownEmptyPolls() throws Exception {
        sizes.polledByLibrary(8);
        Report.Polls told = Objects.requireNonNull(sizes.take());
        assertThat(told.empty()).isEqualTo(Report.Polls.UNKNOWN);
        assertThat(histogram(told).getMaxValue()).isEqualTo(8);
    }

    @Test
    void interceptor_countsForTheProcess_andHandsTheRecordsOn() {
        PollSizes.OF_PROCESS.take();
        ConsumerRecords<Object, Object> none = ConsumerRecords.empty();
        try (PolledRecords interceptor = new PolledRecords()) {
            assertThat(interceptor.onConsume(none)).isSameAs(none);
        }
        assertThat(PollSizes.OF_PROCESS.take()).isNotNull();
    }
}
