package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ShareHandle;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerRunLogTest {

    private final RunContext context = new RunContext();
    private final List<String> calls = new ArrayList<>();

    private boolean isDrained() {
        calls.add("drained?");
        return true;
    }

    private void follow(String leftUndone) {
        ProducerRunLog.follow(ProducePath.CLIENT, context, this::isDrained, patience -> {
            calls.add("close " + patience.toSeconds());
            return leftUndone;
        });
    }

    @Test
    void end_closesTheProducer_andPassesOnWhatItLeaves() {
        follow("2 records");
        assertThat(calls).isEmpty();
        assertThat(context.end(Duration.ofSeconds(3))).isEqualTo("2 records");
        assertThat(calls).containsExactly("close 3", "drained?");
    }

    /** The run of a consumer is logged by the consumer. */
    @ParameterizedTest
    @ValueSource(classes = {ConsumerHandle.class, ShareHandle.class})
    void end_ofARunThatReadsFromKafka_onlyClosesTheProducer(Class<?> handle) {
        context.upstream.add(Proxy.newProxyInstance(handle.getClassLoader(), new Class<?>[] {handle}, (self, m, a) -> {
            throw new UnsupportedOperationException();
        }));
        follow("2 records");
        assertThat(context.end(Duration.ofSeconds(3))).isEqualTo("2 records");
        assertThat(calls).containsExactly("close 3");
    }

    @Test
    void failureOfTheClose_isThrown() {
        IllegalStateException thrown = new IllegalStateException("planted");
        ProducerRunLog.follow(ProducePath.LEAN, context, patience -> {
            throw thrown;
        });
        assertThatThrownBy(() -> context.end(Duration.ZERO)).isSameAs(thrown);
    }

    @Test
    void ending_isCleanOnly_ifAllInputIsWritten() {
        String clean = "drained and ended; nothing is left unfinished";
        assertThat(ProducerRunLog.ending(null, true, "")).isEqualTo(clean);
        assertThat(ProducerRunLog.ending(null, false, "")).isEqualTo("ended");
        assertThat(ProducerRunLog.ending(null, true, "2 records")).isEqualTo("ended; 2 records");
        RuntimeException failure = new IllegalStateException("planted");
        assertThat(ProducerRunLog.ending(failure, true, "")).isEqualTo("ended by a failure: planted");
        assertThat(ProducerRunLog.ending(failure, false, "2 records"))
                .isEqualTo("ended by a failure: planted; 2 records");
        assertThat(ProducerRunLog.ending(new IllegalStateException(), true, ""))
                .isEqualTo("ended by a failure: java.lang.IllegalStateException");
    }
}
