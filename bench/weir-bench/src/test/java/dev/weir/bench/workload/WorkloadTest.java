package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.weir.driver.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WorkloadTest {

    private static final String SMALLEST = """
            name: small
            scenario: consume
            drivers: [plain, weir]
            """;

    static List<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("weir.root"), "bench", "workloads"))) {
            return files.filter(file -> file.toString().endsWith(".yaml")).toList();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void shippedFile_isAccepted_alsoQuick(Path file) {
        assertThat(Workload.read(file, false).rounds())
                .isGreaterThan(Workload.read(file, true).rounds());
        assertThat(file.getFileName()).hasToString(Workload.read(file, false).name() + ".yaml");
    }

    @Test
    void smallestFile_takesTheDefaults() {
        Workload workload = Workload.parse("w.yaml", SMALLEST, false);
        assertThat(workload.drivers()).containsExactly("plain", "weir");
        assertThat(workload.control()).isTrue();
        assertThat(workload.points()).singleElement().satisfies(point -> {
            assertThat(point.partitions()).isOne();
            assertThat(point.valueBytes()).isEqualTo(100);
        });
    }

    @Test
    void baseline_withoutPlain_isTheFirstDriver() {
        String yaml = SMALLEST.replace("plain, weir", "pekko, weir");
        assertThat(Workload.parse("w.yaml", yaml, false).baseline()).isEqualTo("pekko");
        assertThat(Workload.parse("w.yaml", SMALLEST.replace("plain, weir", "weir, plain"), false)
                        .baseline())
                .isEqualTo("plain");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            topc: {records: 5}                | w.yaml:4:1: there is no key topc; did you mean topic?
            topic: {recods: 5}                | w.yaml:4:9: there is no key topic.recods; did you mean topic.records?
            topic: {records: many}            | w.yaml:4:18: topic.records must be a whole number from 1 to 1000000000: topic.records=many
            topic: {valueBytes: 15}           | w.yaml:4:21: topic.valueBytes must be a whole number from 16 to 1000000: topic.valueBytes=15
            baseline: pekko                   | w.yaml:3:11: the baseline pekko is none of the drivers: add it, or name another
            name: twice                       | w.yaml:4:1: name is there twice
            design: gird                      | w.yaml:4:9: design must be one of grid, one-at-a-time, fractional, adaptive: design=gird; did you mean grid?
            vary: [{}]                        | w.yaml:4:8: an entry of vary needs a key with a list of values
            vary: [{topic: {}}]               | w.yaml:4:8: an entry of vary needs a key with a list of values
            vary: [{name: [a, b]}]            | w.yaml:4:8: name cannot vary within a campaign
            vary: [{topic.partitions: 6}]     | w.yaml:4:27: topic.partitions must be a list, such as [1, 6]
            quick: {name: ../quick}           | w.yaml:4:15: name must be letters, digits, dots and hyphens, at most 61: name=../quick
            quick: {topic.record: 6}          | w.yaml:4:9: there is no key topic.record; did you mean topic.records?
            options: {ordering: kye}          | w.yaml:4:21: options.ordering must be one of partition, key, none: options.ordering=kye; did you mean key?
            options: {comit.interval.millis: 5} | w.yaml:4:11: there is no key options.comit.interval.millis; did you mean options.commit.interval.millis?
            client: {ssl.key.password: hush}  | w.yaml:4:10: client.ssl.key.password is a secret, and results keep the workload: it goes into the file of --client-config
            client: {fetch.min.byte: 5}       | w.yaml:4:10: there is no key client.fetch.min.byte; did you mean client.fetch.min.bytes?
            group: {share.record.lock.duration.m: 5} | w.yaml:4:9: there is no key group.share.record.lock.duration.m; did you mean group.share.record.lock.duration.ms?
            broker: {num.io.threads: many}    | w.yaml:4:26: broker.num.io.threads=many cannot be set: Invalid value many for configuration num.io.threads: Not a number of type INT
            broker.listeners: PLAINTEXT://a:1 | w.yaml:4:1: broker.listeners is set by the campaign itself: leave it out
            broker: {ssl.key.password: hush}  | w.yaml:4:10: broker.ssl.key.password is a secret, and results keep the workload: a campaign accepts no secrets of its brokers
            producer: {linger.ns: 5}          | w.yaml:4:12: there is no key producer.linger.ns; did you mean producer.linger.ms?
            topic: [1]                        | w.yaml:4:8: topic must be keys with values
            topic: {valueFile: no/such.json}  | w.yaml:4:20: topic.valueFile is not a readable file or folder: topic.valueFile=no/such.json
            topic: {valueFile: "a\\0b"}       | w.yaml:4:20: topic.valueFile is not a readable file or folder: topic.valueFile=a
            topic: {valueSizes: 100:0.9}      | w.yaml:4:21: topic.valueSizes must have shares that make up 1, not 0.9
            topic: {valueSizes: 15:1}         | w.yaml:4:21: topic.valueSizes must have lengths from 16 to 1000000
            topic: {valueSizes: small}        | w.yaml:4:21: topic.valueSizes must be lengths with their shares, such as 100:0.9 10000:0.1
            topic: {load: 0s:1 5s-2}          | w.yaml:4:15: topic.load must be entries such as 0s:1 30s:3 60s~1, and every:90s after them: 5s-2: topic.load=0s:1 5s-2
            topic: {headers: -1}              | w.yaml:4:18: topic.headers must be a whole number from 0 to 100
            brokerVersion: newest             | w.yaml:4:16: brokerVersion must be a version such as 4.3.1: brokerVersion=newest
            brokerVersion: ../4.3.1           | w.yaml:4:16: brokerVersion must be a version such as 4.3.1: brokerVersion=../4.3.1
            brokerVersions: 4.3.1             | w.yaml:4:1: there is no key brokerVersions; did you mean brokerVersion?
            about: "a                         | w.yaml:5:1: is not valid YAML: found unexpected end of stream
            """)
    void fault_isRefusedWithPlaceAndWayOut(String line, String message) {
        assertThatThrownBy(() -> Workload.parse("w.yaml", SMALLEST + line + "\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageStartingWith(message);
    }

    /**
     * The plan has two seconds of warm-up, three measured seconds and one more. The rate triples in the second half.
     */
    @Test
    void shapeOfALoad_isInTheNumberOfItsRecords() {
        String yaml = SMALLEST.replace("consume", "steady")
                + "topic: {partitions: 1, recordsPerSecond: 1000, load: 0s:1 3s:3}\n"
                + "method: {maxWarmUpSeconds: 2, measureSeconds: 3}\n";
        WorkloadPoint point = Workload.parse("w.yaml", yaml, false).points().getFirst();
        assertThat(point.recordsPerPartition()).isEqualTo(3_000 + 3 * 3_000);
        assertThat(point.measuredPerSecond()).isEqualTo(7_000 / 3.0);
    }

    @Test
    void severalTopics_areAlike_andAPlannedRateIsOfAllOfThem() {
        String yaml = SMALLEST + "topic: {partitions: 3, records: 300}\nvary: [{topics: [1, 4]}]\n";
        List<WorkloadPoint> points = Workload.parse("w.yaml", yaml, false).points();
        assertThat(points).extracting(WorkloadPoint::partitions).containsExactly(3, 12);
        assertThat(points).extracting(WorkloadPoint::recordsPerPartition).containsOnly(100L);
        assertThat(points).extracting(WorkloadPoint::id).containsExactly("consume-topics-1", "consume-topics-4");
        assertThat(points.getFirst().features()).isEmpty();
        assertThat(points.getLast().features()).containsExactly(Feature.TOPICS);
        String planned = SMALLEST.replace("consume", "steady")
                + "topics: 2\ntopic: {partitions: 3, recordsPerSecond: 600}\n"
                + "method: {maxWarmUpSeconds: 1, measureSeconds: 4}\n";
        assertThat(Workload.parse("w.yaml", planned, false).points().getFirst().recordsPerPartition())
                .as("600 a second over six partitions, for six seconds")
                .isEqualTo(600);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            copy    | topic: {partitions: 2}                          | scenario copy has one topic: leave topics out
            produce | topic: {partitions: 2}                          | scenario produce has one topic: leave topics out
            steady  | topic: {recordsPerSecond: 50, partitions: 60}   | with a planned rate, topic.partitions must be at most 100, since latencies are taken for each: topic.partitions=60 topics=2
            """)
    void severalTopicsThatCannotBe_areRefused(String scenario, String topic, String message) {
        String yaml = SMALLEST.replace("consume", scenario) + "topics: 2\n" + topic + "\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining(message);
    }

    @Test
    void severalGroups_areOfWhatIsSentTo_andEachHasARecordDue() {
        String yaml = SMALLEST.replace("consume", "at-least-once")
                + "groups: 3\ntopic: {partitions: 2, recordsPerSecond: 100}\n";
        WorkloadPoint point = Workload.parse("w.yaml", yaml, false).points().getFirst();
        assertThat(point.measuredPerSecond()).isEqualTo(300);
        assertThatThrownBy(() -> ExploreSettings.of(point, null))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("explore looks for the rate of one group: leave groups out: groups=3");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            consume | topic: {partitions: 2}                         | groups applies only to groups with a generator
            steady  | topic: {partitions: 2, recordsPerSecond: 100}  | groups applies only to groups with a generator
            copy    | topic: {partitions: 2, recordsPerSecond: 100}  | scenario copy has one group, whose output is read: leave groups out: groups=2
            """)
    void severalGroupsThatCannotBe_areRefused(String scenario, String topic, String message) {
        String yaml = SMALLEST.replace("consume", scenario) + "groups: 2\n" + topic + "\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining(message);
    }

    /** A repeated key must be refused, because only one of its values would take effect. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            timeline: []               | timeline: []               | w.yaml:5:1: timeline is there twice
            vary: [{brokers: [1, 2]}]  | vary: [{topics: [1, 2]}]   | w.yaml:5:1: vary is there twice
            topic: {partitions: 2}     | topic: {records: 5}        | w.yaml:5:1: topic is there twice
            faults: {from: 1s, every: 2s, from: 3s, of: []} | about: a | w.yaml:4:31: from is there twice
            quick: {timeline: [], timeline: []}  | about: a         | w.yaml:4:23: timeline is there twice
            timeline: [{at: 1s, set: {work: 5ms, work: 6ms}}] | about: a | w.yaml:4:38: work is there twice
            """)
    void keyTwice_isRefused(String one, String other, String message) {
        assertThatThrownBy(() -> Workload.parse("w.yaml", SMALLEST + one + "\n" + other + "\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessage(message);
    }

    @Test
    void driverTwice_isRefused() {
        assertThatThrownBy(() -> Workload.parse("w.yaml", SMALLEST.replace("weir]", "plain]"), false))
                .hasMessage("w.yaml:3:18: driver plain is there twice");
    }

    @Test
    void orderByKeyWithoutKeys_isRefused() {
        assertThatThrownBy(() -> Workload.parse("w.yaml", SMALLEST + "options: {ordering: key}\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("set topic.keys");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            steady  | partitions: 6                          | scenario steady needs a rate: set topic.recordsPerSecond
            consume | recordsPerSecond: 5000                 | scenario consume goes as fast as it can
            produce | headers: 2                             | scenario produce does not read from a topic that is filled before: leave topic.headers out
            consume | load: '0s:1 9s:2'                      | topic.load needs a planned rate: set topic.recordsPerSecond
            consume | valueSizes: 16:1, valueSpread: uniform | topic.valueSizes and topic.valueSpread both define the values: leave one out
            produce | valueRandom: 0.5                       | scenario produce does not read from a topic that is filled
            produce | transactionRecords: 100                | scenario produce does not read from a topic that is filled
            consume | abortedShare: 0.5                      | topic.abortedShare is a share of transactions: set topic.tra
            consume | transactionRecords: 9, abortedShare: 0.5 | with topic.abortedShare, drivers would deliver what was
            steady  | recordsPerSecond: 50, partitions: 101  | with a planned rate, topic.partitions must be at most 100
            """)
    void topicThatDoesNotSuitTheScenario_isRefused(String scenario, String topic, String message) {
        String yaml = SMALLEST.replace("consume", scenario) + "topic: {" + topic + "}\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageStartingWith("w.yaml: " + message);
    }

    @Test
    void abortedTransactions_areReadByWhoLeavesThemOut_only() {
        String yaml = SMALLEST + "topic: {transactionRecords: 9, abortedShare: 0.5}\n"
                + "client: {isolation.level: read_committed}\n";
        assertThat(Workload.parse("w.yaml", yaml, false).points())
                .singleElement()
                .satisfies(point -> assertThat(point.abortedShare()).isEqualTo(0.5));
    }

    @Test
    void failingHandlers_areOfScenarioWork_andLowerTheCeiling() {
        String yaml = SMALLEST + "options: {work.failures: 0.2, work.millis: 10, ordering: none, concurrency: 5}\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageStartingWith("w.yaml: options.work.failures applies only to scenario work");
        assertThat(Workload.parse("w.yaml", yaml.replace("consume", "work"), false)
                        .points())
                .singleElement()
                .satisfies(point -> {
                    assertThat(point.features()).containsExactly(Feature.RETRIES);
                    assertThat(Handlers.ceilingPerSecond(point)).isCloseTo(400, within(0.001));
                    assertThat(Handlers.ceilingPerSecond(point, 20)).isCloseTo(200, within(0.001));
                });
    }

    @Test
    void shareGroup_beginsAtTheBeginning_withTheLocksThatAreAskedFor() {
        String yaml = SMALLEST.replace("consume", "work")
                + "options: {share.locks: 4000, share.consumers: 16}\nclient: {isolation.level: read_committed}\n";
        assertThat(Workload.parse("w.yaml", yaml, false).points())
                .singleElement()
                .satisfies(point -> assertThat(point.shareGroup())
                        .containsOnly(
                                entry("share.auto.offset.reset", "earliest"),
                                entry("share.partition.max.record.locks", "4000"),
                                entry("share.isolation.level", "read_committed")));
    }

    /** The bound assumes records of the smallest size. A compressed batch may hold all records of a partition. */
    @Test
    void recordsOfABatch_areNoMoreThanItHoldsOfTheLeast() {
        assertThat(mostOfABatch("valueBytes: 93, batchBytes: 10000")).isEqualTo(101);
        assertThat(mostOfABatch("valueBytes: 93, batchBytes: 10000, valueSpread: uniform"))
                .isEqualTo(10_000 / 23 + 1);
        assertThat(mostOfABatch("valueBytes: 93, batchBytes: 10000, compression: lz4"))
                .as("all of a partition")
                .isEqualTo(5_000);
    }

    private static int mostOfABatch(String topic) {
        String yaml = SMALLEST + "topic: {partitions: 2, records: 10000, " + topic + "}\n";
        return Workload.parse("w.yaml", yaml, false).points().getFirst().mostRecordsOfABatch();
    }

    @Test
    void shareConsumersWithoutAWorker_areRefused() {
        String yaml = SMALLEST.replace("consume", "work") + "options: {share.consumers: 17}\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("options.share.consumers=17 options.concurrency=16");
    }

    @Test
    void transactionsOfTheDriver_areOfScenarioProduce() {
        String yaml = SMALLEST + "options: {transaction.records: 9}\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageStartingWith("w.yaml: options.transaction.records applies only to scenario produce");
        assertThat(Workload.parse("w.yaml", yaml.replace("consume", "produce"), false)
                        .points())
                .singleElement()
                .satisfies(point -> assertThat(point.features()).containsExactly(Feature.TRANSACTIONS));
    }

    @Test
    void plannedRecords_lastLongerThanWhatIsMeasured() {
        String yaml = SMALLEST.replace("consume", "steady") + """
                topic: {recordsPerSecond: 100, partitions: 3}
                method: {maxWarmUpSeconds: 2, measureSeconds: 3}
                """;
        assertThat(Workload.parse("w.yaml", yaml, false).points())
                .singleElement()
                .satisfies(point -> assertThat(point.recordsPerPartition()).isEqualTo(200));
    }

    @Test
    void dimensionThatQuickSets_doesNotVary() {
        String yaml = SMALLEST + """
                vary: [{topic.partitions: [1, 6]}, {topic.valueBytes: [20, 30]}]
                quick: {topic.partitions: 3}
                """;
        assertThat(Workload.parse("w.yaml", yaml, true).points())
                .extracting(WorkloadPoint::partitions, WorkloadPoint::valueBytes)
                .containsExactly(tuple(3, 20), tuple(3, 30));
    }

    @Test
    void missingKey_isNamed() {
        assertThatThrownBy(() -> Workload.parse("w.yaml", "name: small\nscenario: consume\n", false))
                .hasMessageContaining("lacks the key drivers");
    }

    @Test
    void unequalKeysThatVaryTogether_areRefused() {
        String yaml = SMALLEST + "vary: [{topic.partitions: [1, 6], topic.valueBytes: [20]}]\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false)).hasMessageContaining("as many values");
    }

    @Test
    void valueThatIsThereTwice_isRefused() {
        String yaml = SMALLEST + "vary: [{topic.partitions: [1, 6, 1]}]\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false))
                .hasMessageContaining("two points of vary are one, consume-partitions-1");
    }

    @Test
    void dimensionsThatNoFileNameHolds_areRefused() {
        String yaml = SMALLEST + "vary: [{client.client.id: [" + "x".repeat(120) + "]}]\n";
        assertThatThrownBy(() -> Workload.parse("w.yaml", yaml, false)).hasMessageContaining("too long a file name");
    }

    @Test
    void expectedTime_isOfAllRuns_andNoMoreThanTheMost() {
        String yaml = SMALLEST + """
                vary: [{topic.partitions: [1, 6]}]
                method: {rounds: 10, minWarmUpSeconds: 2, maxWarmUpSeconds: 4, measureSeconds: 4}
                quick: {method.maxSeconds: 100}
                """;
        // There are 2 points, 3 drivers including the control, and 10 rounds of 10 seconds.
        assertThat(Workload.parse("w.yaml", yaml, false).expected()).hasSeconds(600);
        assertThat(Workload.parse("w.yaml", yaml, true).expected()).hasSeconds(100);
    }

    @Test
    void expectedTime_isWithTheTimeInWhichAPassSettles() {
        String yaml = SMALLEST + "method: {rounds: 1, control: false, minWarmUpSeconds: 2, maxWarmUpSeconds: 4,"
                + " settleSeconds: 5, measureSeconds: 4}\n";
        // 2 drivers, a round of 15 seconds.
        assertThat(Workload.parse("w.yaml", yaml, false).expected()).hasSeconds(30);
    }

    @Test
    void grid_meetsEachValueWithEachOther() {
        assertThat(dimensions("grid")).hasSize(6);
    }

    @Test
    void oneAtATime_leavesTheOthersAtTheirFirst() {
        assertThat(dimensions("one-at-a-time"))
                .containsExactly(
                        Map.of("topic.partitions", "1", "client.fetch.min.bytes", "1", "topic.valueBytes", "20"),
                        Map.of("topic.partitions", "6", "client.fetch.min.bytes", "1", "topic.valueBytes", "20"),
                        Map.of("topic.partitions", "1", "client.fetch.min.bytes", "2", "topic.valueBytes", "30"),
                        Map.of("topic.partitions", "1", "client.fetch.min.bytes", "3", "topic.valueBytes", "40"));
    }

    private static List<Map<String, String>> dimensions(String design) {
        String yaml = SMALLEST + """
                design: %s
                vary:
                  - topic.partitions: [1, 6]
                  - client.fetch.min.bytes: [1, 2, 3]
                    topic.valueBytes: [20, 30, 40]
                """.formatted(design);
        return Workload.parse("w.yaml", yaml, false).points().stream()
                .map(WorkloadPoint::dimensions)
                .toList();
    }

    @Test
    void textOfAQuickWorkload_isReadAsQuickAgain() {
        Workload quick = Workload.parse("w.yaml", SMALLEST + "quick: {method.rounds: 2}\n", true);
        assertThat(Workload.ofText(quick.text())).isEqualTo(quick);
    }

    private static final String SENT_TO = SMALLEST.replace("consume", "work") + """
            topic: {recordsPerSecond: 100, partitions: 4}
            options: {ordering: none}
            """;

    /** The number of brokers, and the settings of brokers, groups and producers, vary like any other dimension. */
    @Test
    void sectionsOfKafka_vary() {
        Workload workload = Workload.parse("w.yaml", SENT_TO + """
                producer: {linger.ms: 5}
                group: {share.record.lock.duration.ms: 20000, consumer.session.timeout.ms: 50000}
                vary:
                  - group.share.partition.max.record.locks: [200, 4000]
                  - {brokers: [1, 3], topic.replicas: [1, 3], brokerVersion: [4.2.0, 4.3.1]}
                  - broker.num.io.threads: [4, 8]
                """, false);
        assertThat(workload.points()).hasSize(8);
        WorkloadPoint last = workload.points().getLast();
        assertThat(last.brokers()).isEqualTo(3);
        assertThat(workload.points()).extracting(WorkloadPoint::brokerVersion).contains("4.2.0", "4.3.1");
        assertThat(last.broker()).containsExactly(entry("num.io.threads", "8"));
        assertThat(last.producer()).containsExactly(entry("linger.ms", "5"));
        assertThat(last.consumerGroup()).containsExactly(entry("consumer.session.timeout.ms", "50000"));
        assertThat(last.shareGroup())
                .containsOnly(
                        entry("share.auto.offset.reset", "earliest"),
                        entry("share.record.lock.duration.ms", "20000"),
                        entry("share.partition.max.record.locks", "4000"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            topic.producers: 5             | topic.producers must be at most topic.partitions
            consumers: 1                   | consumers must be at least explore.members
            {consumers: 8, options.share.consumers: 8} | consumers and options.share.consumers both set their number
            {group.share.partition.max.record.locks: 300, options.share.locks: 300} | options.share.locks and group.share.partition.max.record.locks set the same property
            """)
    void dimensionThatCannotBe_isRefused(String line, String message) {
        String plain =
                line.startsWith("{") ? line.substring(1, line.length() - 1).replace(", ", "\n") : line;
        assertThatThrownBy(() -> Workload.parse("w.yaml", SENT_TO + plain + "\n", false))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining(message);
    }

    @Test
    void spreadOfALoad_isOfGroupsThatAreSentTo() {
        for (String line :
                List.of("topic.partitionSkew: 1", "topic.producers: 1\nconsumers: 3", "producer.linger.ms: 5")) {
            assertThatThrownBy(() -> Workload.parse("w.yaml", SMALLEST + line + "\n", false))
                    .isInstanceOf(WorkloadException.class);
        }
    }

    @Test
    void design_choosesThePoints() {
        String vary = """
                vary:
                  - topic.partitions: [1, 2, 3]
                  - topic.valueBytes: [20, 30, 40]
                  - topic.headers: [0, 1, 2]
                """;
        assertThat(Workload.parse("w.yaml", SMALLEST + vary, false).points()).hasSize(27);
        assertThat(Workload.parse("w.yaml", SMALLEST + vary + "design: one-at-a-time\n", false)
                        .points())
                .hasSize(7);
        assertThat(Workload.parse("w.yaml", SMALLEST + vary + "design: fractional\n", false)
                        .points())
                .hasSizeBetween(9, 13);
        Workload adaptive = Workload.parse("w.yaml", SMALLEST + vary + "design: adaptive\n", false);
        assertThat(adaptive.points()).hasSize(27);
        assertThat(adaptive.sizes()).containsExactly(3, 3, 3);
        assertThat(Workload.ofText(adaptive.text()).design()).isEqualTo(Design.ADAPTIVE);
    }
}
