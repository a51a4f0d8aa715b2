package dev.weir.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class DemoVerifierTest {

    private final EventGenerator generator = new EventGenerator(1);
    private final DemoVerifier verifier = new DemoVerifier(generator, 2);

    @Test
    void latency_countsFromTheHeaderToTheAppend_elapsedFromTheFirstToTheLast() {
        verifier.book(read(0, 1000, 1250));
        verifier.book(read(1, 1100, 1110));
        assertThat(verifier.latencyMillis().getMaxValue()).isEqualTo(250);
        assertThat(verifier.latencyMillis().getMinNonZeroValue()).isEqualTo(10);
        assertThat(verifier.elapsedMillis()).isEqualTo(250);
        assertThat(verifier.books().flawless()).isTrue();
    }

    @Test
    void clockThatStepsBack_countsAsNoLatency() {
        verifier.book(read(0, 1000, 999));
        assertThat(verifier.latencyMillis().getMaxValue()).isZero();
        assertThat(verifier.elapsedMillis()).isZero();
    }

    @Test
    void nothingRead_isAllLost() {
        assertThat(verifier.books().lost()).isEqualTo(2);
        assertThat(verifier.elapsedMillis()).isZero();
    }

    private ConsumerRecord<byte[], byte[]> read(long index, long createdMillis, long appendedMillis) {
        assertThat(generator.malformed(index)).isEmpty();
        Headers headers = generator.record(AsimovPipeline.EVENTS, index).headers();
        headers.add(DemoTraffic.createdHeader(createdMillis));
        return new ConsumerRecord<>(
                AsimovPipeline.PAGE_VIEWS,
                0,
                index,
                appendedMillis,
                TimestampType.LOG_APPEND_TIME,
                0,
                0,
                generator.key(generator.session(index)),
                new byte[0],
                headers,
                Optional.empty());
    }
}
