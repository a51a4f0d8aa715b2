package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Dispatcher.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests named dispatchers: settings in a file, messages about refused settings, and counters. */
class DispatchersTest {

    private static Dispatchers parse(String text) {
        return Dispatchers.parse("d.properties", text, Map.of());
    }

    @Test
    void example_ofTheDocumentation_runs(@TempDir Path folder) throws Exception {
        String page = Files.readString(Path.of("..", "docs", "reference", "dispatchers.md"));
        Matcher block =
                Pattern.compile("```properties\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        Path file = Files.writeString(folder.resolve("dispatchers.properties"), block.group(1));
        List<Integer> results = new ArrayList<>();
        try (Dispatchers dispatchers = Dispatchers.load(file)) {
            Pipeline pipeline = Source.of(1, 2, 3)
                    .mapParallel(2, n -> n * n)
                    .with(Attributes.NONE.withDispatcher(dispatchers.get("cpu-heavy")))
                    .mapBlocking(4, Ordering.input(), n -> lookUp(n))
                    .with(Attributes.NONE.withDispatcher(dispatchers.get("legacy")))
                    .to(Sink.forEach(results::add));
            try (RunningPipeline running = pipeline.run()) {
                running.await();
            }
            assertThat(results).containsExactly(1, 4, 9);
            assertThat(dispatchers.names()).containsExactly("cpu-heavy", "legacy", "calls", "audit");
            assertThat(dispatchers.snapshots())
                    .extracting(DispatcherSnapshot::kind)
                    .containsExactly(Kind.FORK_JOIN, Kind.FIXED, Kind.VIRTUAL, Kind.SINGLE);
            assertThat(dispatchers.get("legacy").size()).isEqualTo(4);
            assertThat(dispatchers.get("cpu-heavy").size())
                    .isEqualTo(Runtime.getRuntime().availableProcessors());
            assertThat(dispatchers.get("calls").snapshot().completed()).isZero();
        }
    }

    private static int lookUp(int n) {
        assertThat(Thread.currentThread().getName()).startsWith("weir-legacy");
        return n;
    }

    @Test
    void environment_overridesTheFile() {
        Dispatchers dispatchers = Dispatchers.parse(
                "d.properties",
                "dispatcher.my-pool.kind=fixed\ndispatcher.my-pool.size=2\ndispatcher.b.kind=single",
                Map.of("WEIR_DISPATCHER_MY_POOL_SIZE", "8", "WEIR_DISPATCHER_B_KIND", "virtual", "PATH", "/bin"));
        assertThat(dispatchers.get("my-pool").size()).isEqualTo(8);
        assertThat(dispatchers.get("b").kind()).isEqualTo(Kind.VIRTUAL);
        dispatchers.close();
    }

    @Test
    void file_isReadAsPropertiesAre() {
        try (Dispatchers dispatchers = parse("""
                ! a comment
                  # and one more \\
                dispatcher.a.kind : \\
                    fix\\u0065d
                dispatcher.a.size  3
                """)) {
            assertThat(dispatchers.get("a").kind()).isEqualTo(Kind.FIXED);
            assertThat(dispatchers.get("a").size()).isEqualTo(3);
        }
    }

    static Stream<Arguments> mistakes() {
        String keys = "; keys are dispatcher.<name>.kind and dispatcher.<name>.size";
        String sizes = "size of dispatcher a must be a number from 1 to 32767: size=";
        return Stream.of(
                Arguments.of(
                        "dispatcher.a.kind=fixed\ndispatcher.a.sise=4",
                        "2: unknown key dispatcher.a.sise; did you mean dispatcher.a.size?"),
                Arguments.of(
                        "dispather.a.kind=fixed",
                        "1: unknown key dispather.a.kind" + keys + "; did you mean dispatcher.a.kind?"),
                Arguments.of("size=4", "1: unknown key size" + keys),
                Arguments.of(
                        "#\ndispatcher.b.kind=\\\n  single\r\ndispatcher.a.kind=fixd",
                        "4: kind must be one of virtual, fork-join, fixed, single: kind=fixd; did you mean fixed?"),
                Arguments.of("dispatcher.a.kind=fixed\ndispatcher.a.size=many", "2: " + sizes + "many"),
                Arguments.of("dispatcher.a.kind=fixed\ndispatcher.a.size=0", "2: " + sizes + "0"),
                Arguments.of(
                        "dispatcher.a.kind=single\ndispatcher.a.size=4",
                        "2: dispatcher a is of kind single, which has no size"),
                Arguments.of(
                        "dispatcher.a.kind=fixed\n\ndispatcher.a.kind=single",
                        "3: dispatcher.a.kind is set already at d.properties:1"),
                Arguments.of(
                        "\ndispatcher.a.size=4",
                        "2: dispatcher a has no kind; add dispatcher.a.kind=virtual|fork-join|fixed|single"),
                Arguments.of("dispatcher.a.kind=\\uZZZZ", "1: Malformed \\uxxxx encoding."));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistake_isRefusedWithItsLine(String text, String message) {
        assertThatThrownBy(() -> parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("d.properties:" + message);
    }

    @Test
    void variable_thatOverridesNothing_isRefused() {
        String text = "dispatcher.cpu.kind=fixed";
        assertThatThrownBy(() -> Dispatchers.parse("d.properties", text, Map.of("WEIR_DISPATCHER_CPUU_SIZE", "8")))
                .hasMessage("environment variable WEIR_DISPATCHER_CPUU_SIZE overrides nothing that is in d.properties"
                        + "; did you mean WEIR_DISPATCHER_CPU_SIZE?");
        assertThatThrownBy(() -> Dispatchers.parse("d.properties", text, Map.of("WEIR_DISPATCHER_CPU_SIZE", "x")))
                .hasMessage("environment variable WEIR_DISPATCHER_CPU_SIZE: size of dispatcher cpu must be a number"
                        + " from 1 to 32767: size=x");
        assertThatThrownBy(() -> Dispatchers.parse(
                        "d.properties",
                        "dispatcher.a-b.kind=single\ndispatcher.a_b.kind=single",
                        Map.of("WEIR_DISPATCHER_A_B_KIND", "fixed")))
                .hasMessageContaining("WEIR_DISPATCHER_A_B_KIND would mean two dispatchers");
    }

    @Test
    void name_thatIsUnknownOrTwice_isRefused() {
        try (Dispatchers dispatchers = Dispatchers.of(Dispatcher.single("audit"))) {
            assertThatThrownBy(() -> dispatchers.get("audti"))
                    .hasMessage("no dispatcher is named audti; did you mean audit?");
        }
        assertThatThrownBy(() -> Dispatchers.of(Dispatcher.virtual("a"), Dispatcher.virtual("a")))
                .hasMessage("two dispatchers are named a");
    }

    @Test
    void counters_showWhatRunsAndWaits() throws Exception {
        for (Dispatcher dispatcher :
                List.of(Dispatcher.fixed("two", 2), Dispatcher.forkJoin("pool", 2), Dispatcher.virtual("many"))) {
            boolean bounded = dispatcher.kind() != Kind.VIRTUAL;
            CountDownLatch running = new CountDownLatch(bounded ? 2 : 5);
            CountDownLatch goOn = new CountDownLatch(1);
            CountDownLatch ended = new CountDownLatch(5);
            for (int n = 0; n < 5; n++) {
                dispatcher.execute(() -> {
                    running.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    ended.countDown();
                });
            }
            running.await();
            DispatcherSnapshot busy = dispatcher.snapshot();
            assertThat(busy.active()).isEqualTo(bounded ? 2 : 5);
            assertThat(busy.threads()).isEqualTo(bounded ? 2 : 5);
            assertThat(busy.queued()).isEqualTo(bounded ? 3 : 0);
            assertThat(busy.completed()).isZero();
            goOn.countDown();
            ended.await();
            while (dispatcher.snapshot().completed() < 5) {
                Thread.onSpinWait();
            }
            assertThat(dispatcher.snapshot().active()).isZero();
            dispatcher.close();
            assertThatThrownBy(() -> dispatcher.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
            assertThat(dispatcher.snapshot().queued()).isZero();
        }
    }
}
