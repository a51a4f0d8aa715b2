package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.RecordDecoder;
import dev.weir.kafka.internal.handler.HandlerPlan.HandlerStage;
import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;

class FailureRulesTest {

    private final FailureRules rules =
            FailureRules.NONE.withRetry(RetryPolicy.of(3, Backoff.NONE)).withWayOut();
    private final RecordDecodeException ofAPart =
            new RecordDecodeException("inner", 0, 1, new IllegalStateException("no number"));
    private final List<Long> calls = new ArrayList<>();

    private List<HandlerOutcome<String>> outcomes(HandlerStage<byte[], byte[], String> stage)
            throws InterruptedException {
        var decoder = new RecordDecoder<>(new ByteArrayDeserializer(), new ByteArrayDeserializer());
        return HandlerPlan.of(decoder, Ordering.<ConsumerRecord<byte[], byte[]>>input(), stage)
                .with(rules)
                .outcomes(Source.single(new ConsumerRecord<>("t", 0, 7, new byte[1], new byte[1])))
                .toList();
    }

    private String handle(ConsumerRecord<byte[], byte[]> record) {
        calls.add(record.offset());
        throw ofAPart;
    }

    private CompletionStage<String> handleAsync(ConsumerRecord<byte[], byte[]> record) {
        calls.add(record.offset());
        return CompletableFuture.failedFuture(ofAPart);
    }

    // Regression: a handler failed to decode part of its record, and the run failed despite the dead-letter topic. The
    // rules expected another attempt, but the stage never retries after this exception.
    @Test
    void decodeException_ofABlockingHandlerThatIsRetried_makesTheRecordFail() throws InterruptedException {
        assertThat(outcomes(HandlerStage.blocking(Parallelism.fixed(1), this::handle)))
                .singleElement()
                .isInstanceOf(HandlerOutcome.Failed.class);
        assertThat(calls).containsExactly(7L);
    }

    @Test
    void decodeException_ofAnAsynchronousHandlerThatIsRetried_makesTheRecordFail() throws InterruptedException {
        assertThat(outcomes(HandlerStage.async(1, this::handleAsync)))
                .singleElement()
                .isInstanceOf(HandlerOutcome.Failed.class);
        assertThat(calls).containsExactly(7L);
    }
}
