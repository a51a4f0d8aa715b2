package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.FetchResult;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.BrokerContact;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;

/** A fetcher that fetches nothing and notes its calls. Confined to one thread. */
final class RecordedFetcher implements RecordFetcher {

    final List<String> calls = new ArrayList<>();
    final Map<TopicPartition, LogPosition> positions = new HashMap<>();

    private static String names(Collection<TopicPartition> ids) {
        TreeSet<String> names = new TreeSet<>();
        ids.forEach(id -> names.add(id.toString()));
        return names.toString();
    }

    @Override
    public FetchResult poll(long nanos) {
        throw new AssertionError("not polled");
    }

    @Override
    public void wakeup() {}

    @Override
    public void assigned(Collection<TopicPartition> ids) {
        calls.add("assigned " + names(ids));
    }

    @Override
    public void withdrawn(Collection<TopicPartition> ids) {
        calls.add("withdrawn " + names(ids));
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        calls.add("pause " + names(ids));
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        calls.add("resume " + names(ids));
    }

    @Override
    public void hold(TopicPartition id) {
        calls.add("hold " + id);
    }

    @Override
    public void seek(TopicPartition id, LogPosition place) {
        calls.add("seek " + id + "@" + place);
        positions.put(id, place);
    }

    @Override
    public long position(TopicPartition id) {
        LogPosition position = positions.get(id);
        return position == null ? UNKNOWN : position.offset();
    }

    @Override
    public int leaderEpoch(TopicPartition id) {
        LogPosition position = positions.get(id);
        return position == null ? UNKNOWN : position.leaderEpoch();
    }

    @Override
    public long lag(TopicPartition id) {
        return UNKNOWN;
    }

    @Override
    public BrokerContact contact() {
        return BrokerContact.UNKNOWN;
    }

    @Override
    public void close() {}
}
