package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Checks that the schema of workload files agrees with their parser. */
class WorkloadSchemaTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path FILE =
            Path.of(System.getProperty("weir.root"), "bench", "workloads", "workload.schema.json");

    @ParameterizedTest
    @MethodSource("dev.weir.bench.workload.WorkloadTest#shipped")
    void shippedWorkload_isValid_andNamesItsSchema(Path file) throws IOException {
        String yaml = Files.readString(file);
        assertThat(faults(yaml)).isEmpty();
        assertThat(yaml).startsWith("# yaml-language-server: $schema=" + FILE.getFileName() + "\n");
    }

    @Test
    void schemaBesideTheWorkloads_isWhatTheCommandPrints() throws IOException {
        assertThat(FILE)
                .as("made again by: ./weir bench schema > workloads/workload.schema.json")
                .content()
                .isEqualToNormalizingNewlines(WorkloadSchema.json() + "\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            right | topic: {records: 5, keySkew: 0.5}
            right | topic.records: 5
            right | options: {commit.interval.millis: 10}
            right | options.ordering: none
            right | client: {fetch.min.bytes: 5, group.protocol: consumer}
            right | client.fetch.min.bytes: 5
            right | vary: [{topic: {partitions: [1, 6]}, client.max.poll.records: [1, 10]}, {topic.keySkew: [0, 1.5]}]
            right | quick: {method: {rounds: 3, control: false}, topic.records: 5, drivers: [plain]}
            right | topic: {valueSizes: 100:0.9 10000:0.1, headers: 3, headerBytes: 0}
            wrong | topic: {valueSizes: 100}
            wrong | topic: {valueSizes: [100]}
            wrong | topic: {headers: many}
            wrong | topc: {records: 5}
            wrong | topic: {recods: 5}
            wrong | topic: {records: many}
            wrong | topic: {records: 0}
            wrong | topic: {keySkew: 3.5}
            wrong | topic: [1]
            wrong | design: gird
            wrong | client: {fetch.min.byte: 5}
            wrong | client.fetch.min.byte: 5
            wrong | vary: [{name: [a, b]}]
            right | vary: [{brokers: [1, 3]}, {group.share.isolation.level: [read_committed]}]
            right | broker: {num.io.threads: 4}
            right | design: adaptive
            wrong | broker: {num.io.thread: 4}
            wrong | group.share.locks: 4
            wrong | vary: [{method.rounds: [1, 3]}]
            wrong | vary: [{topic.partitions: 6}]
            wrong | vary: [{topic.partitions: []}]
            wrong | quick: {topic.record: 6}
            wrong | method: {control: maybe}
            """)
    void schema_saysWhatTheParserSays(String verdict, String line) throws IOException {
        String yaml = "name: small\nscenario: consume\ndrivers: [plain, weir]\n" + line + "\n";
        boolean parsed = true;
        try {
            var unused = Workload.parse("w.yaml", yaml, false);
        } catch (WorkloadException e) {
            parsed = false;
        }
        assertThat(parsed ? "right" : "wrong").as("the parser").isEqualTo(verdict);
        assertThat(faults(yaml).isEmpty() ? "right" : "wrong").as("the schema").isEqualTo(verdict);
    }

    @Test
    void missingKey_isAFault() throws IOException {
        assertThat(faults("name: small\ndrivers: [plain]\n")).containsExactly("the file: lacks scenario");
    }

    private static List<String> faults(String yaml) throws IOException {
        Object loaded = new Load(LoadSettings.builder().build()).loadFromString(yaml);
        JsonNode schema = JSON.readTree(WorkloadSchema.json());
        return new SchemaCheck(schema).faults(JSON.valueToTree(loaded));
    }
}
