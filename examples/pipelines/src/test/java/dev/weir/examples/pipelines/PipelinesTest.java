package dev.weir.examples.pipelines;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.Subscription;
import dev.weir.stream.Dispatcher;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class PipelinesTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @TempDir
    private Path folder;

    private static void write(String topic, List<String> values) {
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < values.size(); i++) {
                var ignored = producer.send(new ProducerRecord<>(topic, Integer.toString(i % 7), values.get(i)));
            }
        }
    }

    private static List<String> read(String topic) {
        return Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_COMMITTED).stream()
                .map(each -> new String(each.value(), UTF_8))
                .toList();
    }

    @Test
    void orders_getTheNamesOfTheirCustomers() throws Exception {
        KAFKA.cluster().createTopic("orders", 2);
        KAFKA.cluster().createTopic("enriched-orders", 2);
        write("orders", List.of("a book", "a lamp"));
        try (CustomerService service = CustomerService.start(Duration.ofMillis(1))) {
            var untilEnd = Subscription.topics("orders").untilEnd();
            HttpEnrichment.pipeline(KAFKA.bootstrapServers(), untilEnd, service.uri())
                    .run()
                    .await();
        }
        assertThat(read("enriched-orders")).containsExactlyInAnyOrder("customer 0: a book", "customer 1: a lamp");
    }

    @Test
    void linesOfAFile_becomeRows() throws Exception {
        List<String> lines = new ArrayList<>(List.of("id,customer,cents"));
        for (int i = 0; i < 250; i++) {
            lines.add(i + ",customer " + i % 10 + "," + i * 100);
        }
        Path file = Files.write(folder.resolve("payments.csv"), lines);
        String database = "jdbc:h2:mem:payments;DB_CLOSE_DELAY=-1";
        CsvToJdbc.createTable(() -> DriverManager.getConnection(database));
        try (Dispatcher jdbc = Dispatcher.fixed("jdbc", 2)) {
            CsvToJdbc.pipeline(file, () -> DriverManager.getConnection(database), jdbc)
                    .run()
                    .await();
        }
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement();
                ResultSet sum = statement.executeQuery("SELECT COUNT(*), SUM(cents) FROM payments")) {
            assertThat(sum.next()).isTrue();
            assertThat(sum.getLong(1)).isEqualTo(250);
            assertThat(sum.getLong(2)).isEqualTo(249 * 250 / 2 * 100);
        }
    }

    @Test
    void slowRequestsOfALog_areKept() throws Exception {
        KAFKA.cluster().createTopic("access-log", 2);
        KAFKA.cluster().createTopic("slow-requests", 2);
        write(
                "access-log",
                List.of(
                        "10.0.0.1 - [28/Nov/2026] \"GET /cart?id=7 HTTP/1.1\" 200 1250ms",
                        "10.0.0.2 - [28/Nov/2026] \"GET /cart HTTP/1.1\" 200 12ms",
                        "not a request"));
        var untilEnd = Subscription.topics("access-log").untilEnd();
        LogFilter.pipeline(KAFKA.bootstrapServers(), untilEnd).run().await();
        assertThat(read("slow-requests")).containsExactly("10.0.0.1 GET /cart 200 1250");
    }
}
