package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.CommitMetadata;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the content of commits, and runs that cannot commit. */
class ConsumerCommitTest {

    private static final int RECORDS = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .brokerConfig("allow.everyone.if.no.acl.found", "true"));

    private final ConsumerLedger ledger = new ConsumerLedger(2 * RECORDS);

    private void readToEnd(String topic) throws InterruptedException {
        var settings = ConsumerLedger.settings(KAFKA.cluster(), topic).build();
        try (RunningPipeline running = KafkaSource.from(
                        settings, Subscription.topics(topic).untilEnd())
                .atLeastOnce()
                .to(Sink.forEach(ledger::handled))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @Test
    void metadataFunction_saysWhatIsKeptBesideTheOffset() throws Exception {
        KAFKA.cluster().createTopic("words", 1);
        Records.produce(KAFKA.bootstrapServers(), "words", 0, RECORDS);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "words")
                .commitMetadata((topic, partition, offset) -> topic + " up to " + offset)
                .build();
        try (RunningPipeline running = KafkaSource.from(
                        settings, Subscription.topics("words").untilEnd())
                .atLeastOnce()
                .to(Sink.ignore())
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        OffsetAndMetadata commit = KAFKA.cluster()
                .admin()
                .listConsumerGroupOffsets("words")
                .partitionsToOffsetAndMetadata()
                .get()
                .get(new TopicPartition("words", 0));
        assertThat(CommitMetadata.userText(commit.offset(), commit.metadata())).isEqualTo("words up to 100");
    }

    @Test
    void foreignMetadata_isIgnored() throws Exception {
        KAFKA.cluster().createTopic("foreign", 1);
        Records.produce(KAFKA.bootstrapServers(), "foreign", 0, RECORDS);
        for (String metadata : List.of("left by somebody else", "weir1:AAAAAAAAAAAA:", "weir9:x:")) {
            KAFKA.cluster()
                    .admin()
                    .alterConsumerGroupOffsets(
                            "foreign", Map.of(new TopicPartition("foreign", 0), new OffsetAndMetadata(40, metadata)))
                    .all()
                    .get();
            int before = ledger.seen() + ledger.duplicates();
            readToEnd("foreign");
            assertThat(ledger.seen() + ledger.duplicates() - before)
                    .as("handled after %s", metadata)
                    .isEqualTo(60);
        }
    }

    /** The metadata of the commit marks the records 45 to 49 as finished, in an earlier version's format. */
    @Test
    void metadataOfAnEarlierVersion_areRead() throws Exception {
        KAFKA.cluster().createTopic("earlier", 1);
        Records.produce(KAFKA.bootstrapServers(), "earlier", 0, RECORDS);
        KAFKA.cluster()
                .admin()
                .alterConsumerGroupOffsets(
                        "earlier",
                        Map.of(new TopicPartition("earlier", 0), new OffsetAndMetadata(40, "weir1:AFIR2A0FBQ:host-7")))
                .all()
                .get();
        readToEnd("earlier");
        assertThat(ledger.seen()).isEqualTo(55);
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void take_endsTheRunWithoutWaiting_andTheNextOneGoesOnBehindIt() throws Exception {
        KAFKA.cluster().createTopic("few", 1);
        Records.produce(KAFKA.bootstrapServers(), "few", 0, RECORDS);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "few").build();
        try (RunningPipeline running = KafkaSource.from(settings, "few")
                .atLeastOnce()
                .take(5)
                .to(Sink.forEach(ledger::handled))
                .run()) {
            DrainReport report = running.await();
            assertThat(report.leftUndone())
                    .singleElement()
                    .asString()
                    .startsWith("unfinished, to be read again: few-0@5");
            assertThat(report.elapsed()).isLessThan(RunningPipeline.DEFAULT_DRAIN);
        }
        assertThat(ledger.seen()).isEqualTo(5);
        readToEnd("few");
        assertThat(ledger.seen()).isEqualTo(RECORDS);
        assertThat(ledger.duplicates()).isZero();
    }

    @Test
    void groupRightsTaken_pipelineFails_andNothingIsLost() throws Exception {
        KAFKA.cluster().createTopic("rights", 1);
        Records.produce(KAFKA.bootstrapServers(), "rights", 0, RECORDS);
        AclBinding refusal = new AclBinding(
                new ResourcePattern(ResourceType.GROUP, "rights", PatternType.LITERAL),
                new AccessControlEntry("User:*", "*", AclOperation.READ, AclPermissionType.DENY));
        // The member lacks the permission to leave the group, so the next reader waits for its session to expire.
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "rights")
                .property("session.timeout.ms", "6000")
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, "rights")
                .atLeastOnce()
                .to(Sink.forEach(ledger::handled))
                .run()) {
            ledger.awaitSeen(RECORDS, PATIENCE);
            KAFKA.cluster().admin().createAcls(Set.of(refusal)).all().get();
            Records.produce(KAFKA.bootstrapServers(), "rights", RECORDS, RECORDS);
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasRootCauseInstanceOf(GroupAuthorizationException.class)
                    .hasMessageContaining("rights");
        } finally {
            KAFKA.cluster().admin().deleteAcls(Set.of(refusal.toFilter())).all().get();
        }
        readToEnd("rights");
        assertThat(ledger.lost()).isZero();
    }

    @Test
    void instanceIdTakenOver_firstFails_secondGoesOn_andNothingIsLost() throws Exception {
        KAFKA.cluster().createTopic("twin", 1);
        Records.produce(KAFKA.bootstrapServers(), "twin", 0, RECORDS);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "twin")
                .property("group.instance.id", "one")
                .property("heartbeat.interval.ms", "300")
                .build();
        try (RunningPipeline first = KafkaSource.from(settings, "twin")
                .atLeastOnce()
                .to(Sink.forEach(ledger::handled))
                .run()) {
            ledger.awaitSeen(RECORDS, PATIENCE);
            try (RunningPipeline second = KafkaSource.from(settings, "twin")
                    .atLeastOnce()
                    .to(Sink.forEach(ledger::handled))
                    .run()) {
                assertThatThrownBy(first::await)
                        .isInstanceOf(KafkaPipelineException.class)
                        .hasRootCauseInstanceOf(FencedInstanceIdException.class);
                Records.produce(KAFKA.bootstrapServers(), "twin", RECORDS, RECORDS);
                ledger.awaitSeen(2 * RECORDS, PATIENCE);
                assertThat(second.completion()).isNotDone();
            }
        }
        assertThat(KAFKA.cluster().committedOffsets("twin"))
                .isEqualTo(KAFKA.cluster().endOffsets("twin"));
    }
}
