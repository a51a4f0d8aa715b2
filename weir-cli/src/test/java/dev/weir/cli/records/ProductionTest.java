package dev.weir.cli.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class ProductionTest {

    /** If the thread of Kafka's client dies, there is no answer either. */
    @Test
    void recordsThatTheClientNeverAnswersFor_areAFailure() {
        var silent = new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        var input = new GeneratedInput(3, 10, 0, 0, new CountDownLatch(1), () -> 0);
        Production production = new Production(input, silent, "t", List.of());
        production.run();
        silent.completeNext();
        assertThat(production.ended()).isDone();
        assertThat(production.failure()).isNull();
        production.close(Duration.ZERO);
        assertThat(production.failure()).hasMessage("2 records to t got no answer and may be missing");
    }
}
