package dev.weir.console;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerHealth;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Objects;

/**
 * Writes a consumer's health and dump as JSON fields, for {@code weir pipe --state} and {@code /api/state}. Stateless.
 */
public final class ConsumerState {

    /** Reasons for a pause, in the order of the output. */
    private static final ConsumerDump.Paused[] REASONS = ConsumerDump.Paused.values();

    private ConsumerState() {}

    /** Writes all fields into the JSON object that the caller has started. */
    public static void write(JsonGenerator json, ConsumerDump dump, ConsumerHealth health) throws IOException {
        writeSummary(json, dump, health);
        json.writeArrayFieldStart("partitions");
        for (PartitionDump partition : dump.partitions()) {
            json.writeStartObject();
            write(json, partition);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Writes the fields about the consumer as a whole, without its partitions. */
    public static void writeSummary(JsonGenerator json, ConsumerDump dump, ConsumerHealth health) throws IOException {
        Objects.requireNonNull(dump, "dump");
        Objects.requireNonNull(health, "health");
        json.writeStringField("at", dump.at().toString());
        json.writeStringField("state", dump.state());
        json.writeBooleanField("live", health.live());
        json.writeBooleanField("ready", health.ready());
        json.writeBooleanField("progressing", health.progressing());
        json.writeStringField("reason", health.reason());
        json.writeArrayFieldStart("why");
        for (String sentence : dump.why()) {
            json.writeString(sentence);
        }
        json.writeEndArray();
        Instant silentSince = dump.noAnswerSince();
        if (silentSince != null) {
            json.writeStringField("no_answer_since", silentSince.toString());
        }
        json.writeStringField("reads", dump.reads());
        millis(json, "since_last_poll_ms", dump.sinceLastPoll());
        json.writeNumberField("assignments", dump.assignments());
        json.writeNumberField("rebalances", dump.rebalances());
        json.writeNumberField("commits", dump.commits());
        json.writeNumberField("failed_commits", dump.failedCommits());
    }

    private static void write(JsonGenerator json, PartitionDump partition) throws IOException {
        json.writeStringField("topic", partition.topic());
        json.writeNumberField("partition", partition.partition());
        json.writeArrayFieldStart("paused");
        for (ConsumerDump.Paused reason : REASONS) {
            if (partition.paused().contains(reason)) {
                json.writeString(reason.name());
            }
        }
        json.writeEndArray();
        ConsumerDump.Oldest oldest = partition.oldest();
        if (oldest != null) {
            json.writeNumberField("oldest_unfinished_offset", oldest.offset());
            millis(json, "oldest_unfinished_age_ms", oldest.age());
            Integer keyHash = oldest.keyHash();
            if (keyHash != null) {
                json.writeStringField(
                        "oldest_unfinished_key_hash", HexFormat.of().toHexDigits(keyHash.intValue()));
            }
            json.writeStringField("oldest_unfinished_stage", oldest.stage());
        }
        json.writeNumberField("buffered", partition.buffered());
        json.writeNumberField("in_flight", partition.inFlight());
        json.writeNumberField("committed", partition.committed());
        Duration sinceCommit = partition.sinceCommit();
        if (sinceCommit != null) {
            millis(json, "since_commit_ms", sinceCommit);
        }
        json.writeNumberField("position", partition.position());
        json.writeNumberField("lag", partition.lag());
        Duration lagTime = partition.lagTime();
        if (lagTime != null) {
            millis(json, "lag_ms", lagTime);
        }
        json.writeNumberField("epoch", partition.epoch());
    }

    private static void millis(JsonGenerator json, String name, Duration time) throws IOException {
        json.writeNumberField(name, time.toMillis());
    }
}
