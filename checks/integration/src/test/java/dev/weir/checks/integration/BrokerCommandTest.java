package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Records;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class BrokerCommandTest {

    private static final Duration STOP = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    @Test
    @Timeout(90)
    void dataFolder_keepsTopicsForTheNextStart_andServesOneClusterAtATime() {
        String data = folder.resolve("data").toString();
        try (PipeProcess broker = start("--port", "0", "--data", data, "--topic", "kept:2")) {
            String address = broker.awaitOut();
            assertThat(address).matches("127\\.0\\.0\\.1:\\d+");
            Records.produce(address, "kept", 0, 1000);
            assertRefused("is in use by a running cluster", "--port", "0", "--data", data);
            broker.signal("INT");
            assertThat(broker.exitCode(STOP)).as(broker.err()).isZero();
            assertThat(broker.err()).doesNotContain("\tat ", "ERROR", "SEVERE");
        }
        try (PipeProcess broker = start("--port", "0", "--data", data, "--topic", "kept:2", "--json")) {
            String ready = broker.awaitOut();
            String address = ready.replaceAll(".*\"bootstrap_servers\":\"([^\"]*)\".*", "$1");
            assertThat(ready).contains("\"brokers\":1", "\"cluster_id\":");
            assertThat(Records.numbers(Records.readAll(address, "kept", IsolationLevel.READ_UNCOMMITTED)).stream()
                            .sorted()
                            .toList())
                    .isEqualTo(LongStream.range(0, 1000).boxed().toList());
            broker.signal("TERM");
            assertThat(broker.exitCode(STOP)).as(broker.err()).isZero();
        }
    }

    /** A client may create the topic, with one partition, before the command does. */
    @Test
    @Tag("long")
    @Timeout(90)
    void topic_thatIsThereWithoutRecords_getsItsPartitions() throws Exception {
        String data = folder.resolve("data").toString();
        try (PipeProcess broker = start("--port", "0", "--data", data, "--topic", "in:1", "--topic", "full:1")) {
            Records.produce(broker.awaitOut(), "full", 0, 10);
            broker.signal("INT");
            assertThat(broker.exitCode(STOP)).as(broker.err()).isZero();
        }
        try (PipeProcess broker = start("--port", "0", "--data", data, "--topic", "in:6", "--topic", "full:6")) {
            String address = broker.awaitOut();
            assertThat(partitions(address, "in")).isEqualTo(6);
            assertThat(partitions(address, "full")).isEqualTo(1);
            assertThat(broker.err())
                    .contains("topic full is there already, with 1 partition")
                    .doesNotContain("topic in ");
            broker.signal("INT");
            assertThat(broker.exitCode(STOP)).as(broker.err()).isZero();
        }
    }

    /** Clients usually create the topic before the command does, because they request it all the time. */
    @Test
    @Tag("long")
    @Timeout(90)
    void topic_thatClientsCreateMeanwhile_isNoFault() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        String address = "127.0.0.1:" + port;
        try (var client = producer(address, 30_000);
                PipeProcess broker = start(
                        "--port",
                        Integer.toString(port),
                        "--auto-create-topics",
                        "--topic",
                        "a:3",
                        "--topic",
                        "b:3",
                        "--topic",
                        "c:3",
                        "--topic",
                        "d:3",
                        "--topic",
                        "e:3")) {
            CompletableFuture<Void> asked = CompletableFuture.runAsync(() -> {
                for (String topic : List.of("e", "d", "c", "b")) {
                    var ignored = client.partitionsFor(topic);
                }
            });
            assertThat(broker.awaitOut()).as(broker.err()).isEqualTo(address);
            asked.get(30, TimeUnit.SECONDS);
            assertThat(partitions(address, "e")).isEqualTo(3);
            broker.signal("INT");
            assertThat(broker.exitCode(STOP)).as(broker.err()).isZero();
        }
    }

    @Test
    @Timeout(90)
    void topic_thatNobodyCreated_isAnErrorOfTheClient_unlessAskedFor() throws Exception {
        for (String option : List.of("", "--auto-create-topics")) {
            String[] line = option.isEmpty()
                    ? new String[] {"broker", "--port", "0"}
                    : new String[] {"broker", "--port", "0", option};
            WeirCommand.runBeside(
                    address -> {
                        try (var client = producer(address, option.isEmpty() ? 2_000 : 30_000)) {
                            var sent = client.send(new ProducerRecord<>("misspelt", new byte[1]));
                            if (option.isEmpty()) {
                                assertThatThrownBy(sent::get)
                                        .hasStackTraceContaining("misspelt not present in metadata");
                            } else {
                                assertThat(sent.get().offset()).isZero();
                            }
                        }
                    },
                    line);
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(String address, int maxBlockMillis) {
        return new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", address, "max.block.ms", maxBlockMillis),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static int partitions(String address, String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            return admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .partitions()
                    .size();
        }
    }

    @Test
    @Tag("long")
    @Timeout(120)
    void severalBrokers_runInProcessesOfTheirOwn_oneThatIsGoneIsTold_theOthersGoOnAndEndWithTheCommand() {
        try (PipeProcess broker = start("--brokers", "3", "--port", "0", "--topic", "t:3")) {
            String addresses = broker.awaitOut();
            assertThat(addresses.split(",")).hasSize(3);
            Records.produce(addresses, "t", 0, 100);
            List<ProcessHandle> brokers = broker.children();
            assertThat(brokers).hasSize(3);
            brokers.get(0).destroyForcibly();
            Awaitility.await().atMost(STOP).until(() -> broker.err().contains("\n"));
            assertThat(broker.err())
                    .containsPattern(
                            "weir broker: broker [123] at 127\\.0\\.0\\.1:\\d+ has ended with status 137, 2 of 3 continue;"
                                    + " its log is .*broker-[123]");
            Records.produce(addresses, "t", 100, 100);
            broker.signal("INT");
            assertThat(broker.exitCode(STOP)).as(broker.err()).isZero();
            assertThat(broker.err().lines().filter(line -> line.contains("has ended")))
                    .hasSize(1);
            assertThat(brokers).noneMatch(ProcessHandle::isAlive);
        }
    }

    @Test
    @Timeout(120)
    void severalBrokers_allGone_endTheCommand() {
        try (PipeProcess broker = start("--brokers", "2", "--port", "0", "--json")) {
            var ignored = broker.awaitOut();
            broker.children().forEach(ProcessHandle::destroyForcibly);
            assertThat(broker.exitCode(STOP)).as(broker.err()).isEqualTo(1);
            assertThat(broker.out()).endsWith("{\"error\":\"all brokers have ended\"}\n");
            // The clients may have ended before this check.
            assertThat(broker.err()).contains("broker 1 at ", "broker 2 at ", "0 of 2 continue");
        }
    }

    /** Regression: 176 connections that announced requests of 90 to 100 MB terminated the JVM. */
    @Test
    @Timeout(120)
    void connections_thatClaimLargeRequests_endNoBroker() throws Exception {
        try (PipeProcess broker = PipeProcess.start(256, "broker", "--port", "0", "--topic", "t:1")) {
            String address = broker.awaitOut();
            int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
            for (int claimed : new int[] {95 << 20, 15 << 20}) {
                List<Socket> connections = new ArrayList<>();
                for (int i = 0; i < 176; i++) {
                    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                    connections.add(socket);
                    socket.getOutputStream()
                            .write(ByteBuffer.allocate(8).putInt(claimed).array());
                }
                for (Socket socket : connections) {
                    socket.close();
                }
                Records.produce(address, "t", 0, 100);
                assertThat(broker.isAlive()).as(broker.err()).isTrue();
            }
            // A large record is still accepted.
            try (var producer = new KafkaProducer<>(
                    Map.<String, Object>of("bootstrap.servers", address),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                producer.send(new ProducerRecord<>("t", new byte[1_000_000])).get();
            }
            broker.signal("INT");
            assertThat(broker.exitCode(STOP)).as(broker.err()).isZero();
        }
    }

    @Test
    void port_inUse_isRefused() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertRefused(
                    "port " + taken.getLocalPort() + " (broker 1) is in use",
                    "--port",
                    Integer.toString(taken.getLocalPort()));
        }
    }

    @Test
    void dataFolder_thatCannotBeMade_isRefused() throws Exception {
        // A folder below a file cannot be created, even by the superuser.
        Path file = Files.createFile(folder.resolve("file"));
        assertRefused(
                "is not writable", "--port", "0", "--data", file.resolve("data").toString());
        Path foreign = Files.createDirectory(folder.resolve("foreign"));
        Files.createFile(foreign.resolve("thesis.txt"));
        assertRefused("give an empty or a new folder", "--port", "0", "--data", foreign.toString());
    }

    private static PipeProcess start(String... args) {
        return PipeProcess.start(
                512, Stream.concat(Stream.of("broker"), Arrays.stream(args)).toArray(String[]::new));
    }

    private static void assertRefused(String message, String... args) {
        WeirCommand broker = WeirCommand.run(
                Stream.concat(Stream.of("broker"), Arrays.stream(args)).toArray(String[]::new));
        assertThat(broker.exitCode()).as(broker.err()).isEqualTo(1);
        assertThat(broker.err()).startsWith("weir broker: ").contains(message);
        assertThat(broker.err().lines()).hasSizeLessThanOrEqualTo(2);
        assertThat(broker.out()).isEmpty();
    }
}
