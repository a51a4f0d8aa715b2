package dev.weir.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.environment.EnvironmentFile;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadException;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Dispatchers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that user-written files, however damaged, are either accepted or refused with a message. Reading them must
 * never throw any other exception or loop forever. A failure prints seed and text. To fuzz longer:
 * {@code -Dweir.fuzz.seconds=120}.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class FilesFuzzTest {

    private static final int TIMES = 300;
    private static final int SECONDS = Integer.getInteger("weir.fuzz.seconds", 0);
    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    private static final String SETTINGS = """
            bootstrap.servers=localhost:9092
            group.id=orders
            client.id=shop-1
            max.poll.records=500
            fetch.max.bytes=1048576
            linger.ms=5
            batch.size=16384
            weir.buffer.bytes=67108864
            weir.max.outstanding.records=4096
            weir.commit.interval=1s
            weir.fetch=lean
            weir.produce=lean
            """;

    private static final String DISPATCHERS = """
            # of the shop
            dispatcher.cpu-heavy.kind = fork-join
            dispatcher.legacy.kind = fixed
            dispatcher.legacy.size = 4
            dispatcher.calls.kind = virtual
            dispatcher.audit.kind = single
            """;

    /** Texts that YAML, properties or number parsers may reject. */
    private static final List<String> SPLINTERS = List.of(
            "{",
            "}",
            "[",
            "]",
            ":",
            ": ",
            "- ",
            "*a",
            "&a",
            "!!int",
            "|",
            ">",
            "%",
            "\"",
            "'",
            "#",
            "\t",
            "\0",
            "\\u00",
            "=",
            ",",
            "\n",
            "\r",
            "\n\n  ",
            "  ",
            "-1",
            "0",
            "99999999999999999999",
            "1e400",
            "NaN",
            "null",
            "~",
            "true",
            "\ufeff",
            "\ud83d",
            "é",
            "..",
            "<<: *a",
            "---\n",
            "? ",
            "\u2028");

    @TempDir
    private Path folder;

    enum Kind {
        WORKLOAD(WorkloadException.class) {
            @Override
            List<String> bases() throws IOException {
                return texts("bench/workloads");
            }

            @Override
            void read(Path file) {
                Workload unused = Workload.read(file, false);
            }
        },
        ENVIRONMENT(WorkloadException.class) {
            @Override
            List<String> bases() throws IOException {
                return texts("bench/environments");
            }

            @Override
            void read(Path file) {
                var unused = EnvironmentFile.named(file.toString(), ROOT);
            }
        },
        DISPATCHERS_FILE(IllegalArgumentException.class) {
            @Override
            List<String> bases() {
                return List.of(DISPATCHERS);
            }

            @Override
            void read(Path file) throws IOException {
                Dispatchers.load(file, Map.of("WEIR_DISPATCHER_LEGACY_SIZE", "3"))
                        .close();
            }
        },
        CONSUMER_SETTINGS(IllegalArgumentException.class) {
            @Override
            List<String> bases() {
                return List.of(SETTINGS);
            }

            @Override
            void read(Path file) {
                var unused = ConsumerSettings.builder().from(file).build();
            }
        },
        PRODUCER_SETTINGS(IllegalArgumentException.class) {
            @Override
            List<String> bases() {
                return List.of(SETTINGS);
            }

            @Override
            void read(Path file) {
                var unused = ProducerSettings.builder().from(file).build();
            }
        };

        private final Class<? extends Exception> refusal;

        Kind(Class<? extends Exception> refusal) {
            this.refusal = refusal;
        }

        abstract List<String> bases() throws IOException;

        abstract void read(Path file) throws IOException;

        private static List<String> texts(String folder) throws IOException {
            List<String> texts = new ArrayList<>();
            try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".yaml"))
                        .sorted()
                        .toList()) {
                    texts.add(Files.readString(file));
                }
            }
            return texts;
        }
    }

    @ParameterizedTest
    @EnumSource
    void file_damagedInAnyWay_isTakenOrRefusedWithWords(Kind kind) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> bases = kind.bases();
        Path file = folder.resolve("damaged.yaml");
        long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
        for (int time = 0; time < TIMES || System.nanoTime() < end; time++) {
            String text = damaged(bases.get(random.nextInt(bases.size())), random);
            Files.write(file, text.getBytes(UTF_8));
            try {
                kind.read(file);
            } catch (Exception e) {
                assertThat(e).as("seed %d, text:%n%s", seed, text).isInstanceOf(kind.refusal);
                assertThat(e.getMessage()).as("seed %d, text:%n%s", seed, text).isNotBlank();
            }
        }
    }

    private static String damaged(String base, Random random) {
        StringBuilder text = new StringBuilder(base);
        for (int i = random.nextInt(1, 5); i > 0 && !text.isEmpty(); i--) {
            int at = random.nextInt(text.length());
            int to = Math.min(text.length(), at + random.nextInt(1, 30));
            switch (random.nextInt(6)) {
                case 0 -> text.insert(at, SPLINTERS.get(random.nextInt(SPLINTERS.size())));
                case 1 -> text.replace(at, to, SPLINTERS.get(random.nextInt(SPLINTERS.size())));
                case 2 -> text.delete(at, to);
                case 3 -> text.insert(random.nextInt(text.length()), text.substring(at, to));
                case 4 -> text.setCharAt(at, (char) random.nextInt(random.nextBoolean() ? 128 : 0x10000));
                default -> text.setLength(at);
            }
        }
        return text.toString();
    }
}
