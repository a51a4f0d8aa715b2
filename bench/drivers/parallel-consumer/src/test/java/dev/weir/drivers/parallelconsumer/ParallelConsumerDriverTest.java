package dev.weir.drivers.parallelconsumer;

import static org.assertj.core.api.Assertions.assertThat;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelEoSStreamProcessor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ParallelConsumerDriverTest {

    /** Regression: the driver did not notice the library's failure, so the pass lasted until its time limit. */
    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void processorWhoseConsumerFails_isAFailure() {
        MockConsumer<byte[], byte[]> refused = new MockConsumer<>("earliest") {
            @Override
            public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                throw new TopicAuthorizationException("no access to t");
            }
        };
        ParallelEoSStreamProcessor<byte[], byte[]> processor =
                new ParallelEoSStreamProcessor<>(ParallelConsumerOptions.<byte[], byte[]>builder()
                        .consumer(refused)
                        .build());
        assertThat(ParallelConsumerDriver.failure(processor)).isNull();
        processor.subscribe(List.of("t"));
        processor.poll(context -> {});
        Throwable failure = ParallelConsumerDriver.failure(processor);
        while (failure == null) {
            Thread.onSpinWait();
            failure = ParallelConsumerDriver.failure(processor);
        }
        assertThat(failure).hasMessageContaining("no access to t");
    }
}
