package dev.weir.bench.workload;

import dev.weir.bench.live.FaultPlan;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.TimelineEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * The content of a workload file as a flat map from dotted paths to settings with their positions. Each setting has
 * been checked against {@link Key#ALL}. Confined to one thread.
 *
 * <p>{@code topic: {records: 5}} and {@code topic.records: 5} mean the same. The sections {@code vary} and
 * {@code quick} contain such paths too.
 */
final class WorkloadFile {
    static final String VARY = "vary";
    static final String QUICK = "quick";
    static final String TIMELINE = "timeline";
    static final String FAULTS = "faults";
    static final String OF = "of";

    private final String name;
    private final Map<String, List<Setting>> settings = new LinkedHashMap<>();
    private final Map<String, List<Setting>> quick = new LinkedHashMap<>();
    private final List<Map<String, List<Setting>>> vary = new ArrayList<>();
    private List<TimelineEntry> timeline = List.of();
    private @Nullable List<TimelineEntry> quickTimeline;
    private List<TimelineEntry> faults = List.of();
    private @Nullable List<TimelineEntry> quickFaults;

    private WorkloadFile(String name) {
        this.name = name;
    }

    static WorkloadFile parse(String name, String yaml) {
        WorkloadFile file = new WorkloadFile(name);
        Node root;
        try {
            root = YamlText.compose(name, yaml).orElseThrow(() -> new WorkloadException(name + " is empty"));
        } catch (MarkedYamlEngineException e) {
            throw file.refuse(e.getProblemMark().orElse(null), "is not valid YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            throw new WorkloadException(name + " is not valid YAML: " + e.getMessage());
        }
        file.read(root);
        return file;
    }

    Map<String, List<Setting>> settings() {
        return settings;
    }

    Map<String, List<Setting>> quick() {
        return quick;
    }

    /** The entries of {@code vary}. The keys of an entry vary together, so they all have the same number of values. */
    List<Map<String, List<Setting>>> vary() {
        return vary;
    }

    /**
     * The planned changes and faults of a run. If {@code isQuick} is true, the changes and faults of the quick section
     * replace them.
     */
    List<TimelineEntry> timeline(boolean isQuick) {
        List<TimelineEntry> other = quickTimeline;
        List<TimelineEntry> otherFaults = quickFaults;
        return FaultPlan.merged(
                isQuick && other != null ? other : timeline, isQuick && otherFaults != null ? otherFaults : faults);
    }

    private List<TimelineEntry> faults(Node section) {
        Map<String, String> fields = new LinkedHashMap<>();
        List<Order> of = new ArrayList<>();
        for (NodeTuple tuple : mapping(section, FAULTS).getValue()) {
            String key = keyOf(tuple);
            if (key.equals(OF)) {
                for (Node node :
                        sequence(tuple.getValueNode(), FAULTS + "." + OF).getValue()) {
                    of.add(checked(node, () -> Order.of(fields(mapping(node, "an entry of faults.of")))));
                }
            } else {
                fields.put(
                        key,
                        scalar(tuple.getValueNode(), FAULTS + "." + key, null).text());
            }
        }
        return checked(section, () -> FaultPlan.entries(fields, of));
    }

    /** Calls {@code read} and returns its result. A failure's message gets the position of the node. */
    private <T> T checked(Node node, Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException e) {
            throw refuse(node.getStartMark().orElse(null), String.valueOf(e.getMessage()));
        }
    }

    private List<TimelineEntry> timeline(Node list) {
        List<TimelineEntry> entries = new ArrayList<>();
        for (Node node : sequence(list, TIMELINE).getValue()) {
            try {
                TimelineEntry entry = TimelineEntry.of(fields(mapping(node, "an entry of timeline")));
                ClientProperties.check(entry.order());
                if (!entries.isEmpty() && entry.atMillis() < entries.getLast().atMillis()) {
                    throw new IllegalArgumentException("entries of timeline are in the order of their times");
                }
                entries.add(entry);
            } catch (IllegalArgumentException e) {
                throw refuse(node.getStartMark().orElse(null), String.valueOf(e.getMessage()));
            }
        }
        return List.copyOf(entries);
    }

    private Map<String, Object> fields(MappingNode node) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (NodeTuple tuple : node.getValue()) {
            Object value = tuple.getValueNode() instanceof MappingNode section
                    ? fields(mapping(section, keyOf(tuple)))
                    : scalar(tuple.getValueNode(), keyOf(tuple), null).text();
            fields.put(keyOf(tuple), value);
        }
        return fields;
    }

    private void quick(MappingNode section) {
        for (NodeTuple tuple : section.getValue()) {
            switch (keyOf(tuple)) {
                case TIMELINE -> quickTimeline = timeline(tuple.getValueNode());
                case FAULTS -> quickFaults = faults(tuple.getValueNode());
                default -> flatten("", tuple, quick, false);
            }
        }
    }

    private void read(Node root) {
        for (NodeTuple tuple : mapping(root, "the file").getValue()) {
            switch (keyOf(tuple)) {
                case VARY -> {
                    for (Node entry : sequence(tuple.getValueNode(), VARY).getValue()) {
                        vary.add(dimension(entry));
                    }
                }
                case QUICK -> quick(mapping(tuple.getValueNode(), QUICK));
                case TIMELINE -> timeline = timeline(tuple.getValueNode());
                case FAULTS -> faults = faults(tuple.getValueNode());
                default -> flatten("", tuple, settings, false);
            }
        }
    }

    private Map<String, List<Setting>> dimension(Node entry) {
        Map<String, List<Setting>> together = new LinkedHashMap<>();
        flatten("", mapping(entry, "an entry of vary"), together, true);
        if (together.isEmpty()) {
            throw refuse(entry.getStartMark().orElse(null), "an entry of vary needs a key with a list of values");
        }
        int values = 0;
        for (Map.Entry<String, List<Setting>> key : together.entrySet()) {
            if (isFixed(key.getKey())) {
                throw refuse(entry.getStartMark().orElse(null), key.getKey() + " cannot vary within a campaign");
            }
            if (values > 0 && key.getValue().size() != values) {
                throw refuse(
                        entry.getStartMark().orElse(null),
                        "keys that vary together need as many values as each other: " + key.getKey() + " has "
                                + key.getValue().size() + ", the one before has " + values);
            }
            values = key.getValue().size();
        }
        return together;
    }

    static boolean isFixed(String path) {
        return Key.FIXED.contains(path) || path.startsWith("method.");
    }

    private void flatten(String prefix, MappingNode node, Map<String, List<Setting>> into, boolean lists) {
        for (NodeTuple tuple : node.getValue()) {
            flatten(prefix, tuple, into, lists);
        }
    }

    private void flatten(String prefix, NodeTuple tuple, Map<String, List<Setting>> into, boolean lists) {
        String path = prefix + keyOf(tuple);
        Node value = tuple.getValueNode();
        if (value instanceof MappingNode section) {
            if (!isSection(path)) {
                throw unknown(tuple.getKeyNode(), path);
            }
            flatten(path + ".", section, into, lists);
            return;
        }
        if (isSection(path)) {
            mapping(value, path);
        }
        Key key = Key.ALL.get(path);
        PropertySection kafkas = key == null ? PropertySection.ofPath(path) : null;
        if (key == null && (kafkas == null || !kafkas.knows(path))) {
            throw unknown(tuple.getKeyNode(), path);
        }
        List<Setting> values = new ArrayList<>();
        if (lists || (key != null && key.type() == Key.Type.TEXTS)) {
            for (Node element : sequence(value, path).getValue()) {
                values.add(scalar(element, path, key));
            }
            if (values.isEmpty()) {
                throw refuse(value.getStartMark().orElse(null), path + " is an empty list");
            }
        } else {
            values.add(scalar(value, path, key));
        }
        if (into.put(path, values) != null) {
            throw refuse(tuple.getKeyNode().getStartMark().orElse(null), path + " is there twice");
        }
    }

    private static boolean isSection(String path) {
        return PropertySection.ALL.stream().anyMatch(section -> section.name().equals(path))
                || Key.ALL.keySet().stream().anyMatch(known -> known.startsWith(path + "."));
    }

    private Setting scalar(Node node, String path, @Nullable Key key) {
        if (!(node instanceof ScalarNode scalar)) {
            throw refuse(node.getStartMark().orElse(null), path + " must be a single value");
        }
        PropertySection kafkas = key == null ? PropertySection.ofPath(path) : null;
        String objection = key != null
                ? key.objection(scalar.getValue())
                : kafkas != null ? kafkas.objection(path, scalar.getValue()) : null;
        if (objection != null) {
            throw refuse(
                    node.getStartMark().orElse(null),
                    key == null
                            ? path + "=" + scalar.getValue() + " " + objection
                            : path + " " + objection + ": " + path + "=" + scalar.getValue()
                                    + (key.choices().isEmpty() ? "" : Spelling.hint(scalar.getValue(), key.choices())));
        }
        int line = node.getStartMark().map(Mark::getLine).orElse(0) + 1;
        int column = node.getStartMark().map(Mark::getColumn).orElse(0) + 1;
        // Kafka ignores spaces around the values of its properties.
        return new Setting(
                kafkas == null ? scalar.getValue() : scalar.getValue().strip(), line, column);
    }

    private WorkloadException unknown(Node at, String path) {
        PropertySection kafkas = PropertySection.ofPath(path);
        String refusal = kafkas == null ? null : kafkas.refusal(path);
        if (refusal != null) {
            return refuse(at.getStartMark().orElse(null), refusal);
        }
        Set<String> known = new TreeSet<>();
        if (kafkas != null && path.contains(".")) {
            known.addAll(kafkas.paths());
        } else {
            known.addAll(List.of(VARY, QUICK, TIMELINE, FAULTS));
            PropertySection.ALL.forEach(section -> known.add(section.name()));
            // For a path without a dot, suggest only top-level keys and names of sections.
            for (String key : Key.ALL.keySet()) {
                known.add(path.contains(".") ? key : key.split("\\.", 2)[0]);
            }
        }
        return refuse(at.getStartMark().orElse(null), "there is no key " + path + Spelling.hint(path, known));
    }

    /** Returns the node. Refuses a repeated key, which the parser accepts. */
    private MappingNode mapping(Node node, String what) {
        if (node instanceof MappingNode mapping) {
            Set<String> keys = new HashSet<>();
            for (NodeTuple tuple : mapping.getValue()) {
                if (!keys.add(keyOf(tuple))) {
                    throw refuse(tuple.getKeyNode().getStartMark().orElse(null), keyOf(tuple) + " is there twice");
                }
            }
            return mapping;
        }
        throw refuse(node.getStartMark().orElse(null), what + " must be keys with values");
    }

    private SequenceNode sequence(Node node, String what) {
        if (node instanceof SequenceNode sequence) {
            return sequence;
        }
        throw refuse(node.getStartMark().orElse(null), what + " must be a list, such as [1, 6]");
    }

    private String keyOf(NodeTuple tuple) {
        if (tuple.getKeyNode() instanceof ScalarNode key) {
            return key.getValue();
        }
        throw refuse(tuple.getKeyNode().getStartMark().orElse(null), "a key must be a single word");
    }

    WorkloadException refuse(Setting at, String why) {
        return new WorkloadException(name + ":" + at.line() + ":" + at.column() + ": " + why);
    }

    private WorkloadException refuse(@Nullable Mark at, String why) {
        return at == null
                ? new WorkloadException(name + ": " + why)
                : refuse(new Setting("", at.getLine() + 1, at.getColumn() + 1), why);
    }
}
