package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.cli.tune.EndlessEvents;
import dev.weir.console.ConsoleServer;
import dev.weir.examples.pipelines.CsvToJdbc;
import dev.weir.examples.pipelines.CustomerService;
import dev.weir.examples.pipelines.HttpEnrichment;
import dev.weir.examples.pipelines.LogFilter;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.control.BufferControl;
import dev.weir.stream.control.DispatcherControl;
import dev.weir.stream.control.StageControl;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares {@code weir tune} with settings found by hand, on pipelines written without knowledge of the command. Both
 * settings are measured alternately in the same run.
 */
@Tag("long")
@Timeout(1_200)
class TuneStrangersTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double WANTED = 0.9;
    private static final int PARTITIONS = 6;
    private static final Duration SETTLING = Duration.ofSeconds(2);
    private static final Duration MEASURED = Duration.ofSeconds(5);
    private static final int TURNS = 3;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private final CountDownLatch never = new CountDownLatch(1);

    @TempDir
    private Path folder;

    @Test
    void httpEnrichment_reachesWhatAHandFinds() throws Exception {
        fill("orders", 400_000, number -> "order " + number);
        KAFKA.cluster().createTopic("enriched-orders", PARTITIONS);
        try (CustomerService service = CustomerService.start(Duration.ofMillis(20))) {
            Pipeline pipeline =
                    HttpEnrichment.pipeline(KAFKA.bootstrapServers(), Subscription.topics("orders"), service.uri());
            assertTuned(pipeline, 400_000 / PARTITIONS, "customer", Map.of("stage.customer.parallelism", "64"));
        }
    }

    @Test
    void csvToJdbc_reachesWhatAHandFinds() throws Exception {
        String database = "jdbc:h2:mem:strangers;DB_CLOSE_DELAY=-1";
        CsvToJdbc.createTable(() -> DriverManager.getConnection(database));
        try (Dispatcher jdbc = Dispatcher.fixed("jdbc", 2);
                EndlessFile file = EndlessFile.start(
                        folder.resolve("payments.csv"),
                        "id,customer,cents",
                        line -> line + ",customer " + line % 1_000 + "," + line % 10_000)) {
            // Simulates the round trip to a remote database. A faster database would fill the memory during a search.
            CsvToJdbc.Connections remote = () -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                return DriverManager.getConnection(database);
            };
            assertTuned(
                    CsvToJdbc.pipeline(file.path(), remote, jdbc),
                    0,
                    "insert",
                    Map.of("dispatcher.jdbc.size", "16", "stage.insert.parallelism", "16"));
        }
    }

    @Test
    void logFilter_reachesWhatAHandFinds() throws Exception {
        fill(
                "access-log",
                1_000_000,
                number -> "10.0.0.%d - [28/Nov/2026] \"GET /cart?id=%d HTTP/1.1\" 200 %dms"
                        .formatted(number % 250, number, number % 1_010));
        KAFKA.cluster().createTopic("slow-requests", PARTITIONS);
        assertTuned(
                LogFilter.pipeline(KAFKA.bootstrapServers(), Subscription.topics("access-log")),
                1_000_000 / PARTITIONS,
                "match",
                Map.of("source.maxOutstandingRecords", "1600", "stage.match.parallelism", "4"));
    }

    private static void fill(String topic, int records, IntFunction<String> value) {
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "linger.ms", 20, "batch.size", 131_072),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < records; i++) {
                var ignored = producer.send(
                        new ProducerRecord<>(topic, i % PARTITIONS, Integer.toString(i % 5_000), value.apply(i)));
            }
        }
    }

    @SuppressWarnings("try") // While these are open, the records are read again and again.
    private void assertTuned(Pipeline pipeline, long eventsOfAPartition, String stage, Map<String, String> byHand)
            throws Exception {
        try (RunningPipeline running = pipeline.run();
                ConsoleServer console = ConsoleServer.builder().start(running)) {
            if (running.handles(ConsumerHandle.class).isEmpty()) { // Its file does not end.
                assertTuned(running, console, stage, byHand);
                return;
            }
            try (EndlessEvents endless = EndlessEvents.of(running, eventsOfAPartition, () -> {})) {
                endless.start();
                assertTuned(running, console, stage, byHand);
            }
        }
    }

    @SuppressWarnings("try") // While these are open, the records are read again and again.
    private void assertTuned(RunningPipeline running, ConsoleServer console, String stage, Map<String, String> byHand)
            throws Exception {
        Map<String, String> start = settings(running);
        JsonNode summary = tune(console);
        Map<String, String> tuned = settings(running);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < TURNS; i++) {
            set(console, start);
            set(console, byHand);
            double hand = rate(running, stage);
            set(console, start);
            set(console, tuned);
            ratios.add(rate(running, stage) / hand);
        }
        ratios.sort(null);
        assertThat(ratios.get(TURNS / 2))
                .as("tuned over by hand, %s; tuned %s from %s; %s", ratios, tuned, start, summary)
                .isGreaterThanOrEqualTo(WANTED);
    }

    /** Returns the current settings. Dispatchers come first, because they limit the stages. */
    private static Map<String, String> settings(RunningPipeline running) {
        Map<String, String> settings = new LinkedHashMap<>();
        running.handles(DispatcherControl.class).forEach(each -> {
            if (each.snapshot().kind() == Dispatcher.Kind.FIXED) {
                settings.put(
                        "dispatcher." + each.snapshot().name() + ".size",
                        Integer.toString(each.snapshot().size()));
            }
        });
        running.handles(StageControl.class)
                .forEach(each ->
                        settings.put("stage." + each.stage() + ".parallelism", Integer.toString(each.parallelism())));
        running.handles(BufferControl.class)
                .forEach(each ->
                        settings.put("source.maxOutstandingRecords", Integer.toString(each.maxOutstandingRecords())));
        return settings;
    }

    private static void set(ConsoleServer console, Map<String, String> settings) {
        // Applies the settings twice, because a stage may first need a larger dispatcher.
        var ignored = console.set(settings);
        assertThat(console.set(settings).refused()).isEmpty();
    }

    private double rate(RunningPipeline running, String stage) throws InterruptedException {
        pause(SETTLING);
        long before = taken(running, stage);
        long start = System.nanoTime();
        pause(MEASURED);
        return (taken(running, stage) - before) * 1e9 / (System.nanoTime() - start);
    }

    private void pause(Duration time) throws InterruptedException {
        assertThat(never.await(time.toNanos(), TimeUnit.NANOSECONDS)).isFalse();
    }

    private static long taken(RunningPipeline running, String stage) {
        return running.stages().stream()
                .filter(each -> each.name().equals(stage))
                .mapToLong(StageSnapshot::elementsOut)
                .sum();
    }

    private JsonNode tune(ConsoleServer console) throws Exception {
        List<String> command = ChildJvm.command();
        command.addAll(List.of("dev.weir.cli.Main", "tune", console.uri().toString(), "--json"));
        Path out = folder.resolve("stdout");
        Path errors = folder.resolve("stderr");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(errors.toFile())
                .start();
        try {
            process.waitFor();
            String told = Files.readString(out, UTF_8);
            assertThat(process.exitValue()).as(told + Files.readString(errors)).isZero();
            System.err.println(told); // Prints the steps, for the analysis of a failure.
            return JSON.readTree(told.lines().toList().getLast());
        } finally {
            process.destroyForcibly();
        }
    }
}
