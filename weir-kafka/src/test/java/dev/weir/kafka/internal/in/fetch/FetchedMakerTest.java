package dev.weir.kafka.internal.in.fetch;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.internal.meters.DecodeTime;
import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.RecordView;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests the failures of a decoder. */
class FetchedMakerTest {

    private static final RecordView VIEW = (RecordView) Proxy.newProxyInstance(
            FetchedMakerTest.class.getClassLoader(), new Class<?>[] {RecordView.class}, (proxy, method, arguments) -> {
                return switch (method.getName()) {
                    case "topic" -> "t";
                    case "partition" -> 3;
                    case "offset" -> 7L;
                    default -> throw new IllegalStateException(method.getName());
                };
            });

    private static void assertRefused(Function<RecordView, Object> decoder) {
        assertThatThrownBy(() -> FetchedMaker.decoding(decoder, DecodeTime.NONE).make(VIEW))
                .isInstanceOf(RecordDecodeException.class)
                .hasMessageContainingAll("t-3@7", "let the decoder return something else")
                .hasMessageNotContaining("KafkaFlow");
    }

    @Test
    void refusal_namesTheRecord_andWhatADecoderCanDo() {
        assertRefused(view -> {
            throw new IllegalArgumentException("no number");
        });
    }

    /** Given a header that ends beyond its record, the batch is corrupt, and the decoder is not at fault. */
    @Test
    void corruptBatch_staysOne() {
        CorruptBatchException corrupt = new CorruptBatchException("t", 3, 7, "a header beyond its record", null);
        assertThatThrownBy(() -> FetchedMaker.decoding(
                                view -> {
                                    throw corrupt;
                                },
                                DecodeTime.NONE)
                        .make(VIEW))
                .isSameAs(corrupt);
    }
}
