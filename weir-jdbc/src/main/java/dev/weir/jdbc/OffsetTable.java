package dev.weir.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The SQL statements for one group's rows. Stateless; each call is part of its connection's transaction. */
final class OffsetTable {

    /** The maximum wait of a claim for a row lock. */
    private static final int CLAIM_SECONDS = 10;

    /** A table name, or several names joined by dots. Used without quotes, like in the application's own statements. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]*(\\.[A-Za-z_][A-Za-z0-9_$]*)*");

    /** The upper bound of initial fences, with ample space for the increments by new owners. */
    private static final long FENCES = 1L << 48;

    private static final String OF_PARTITION = " WHERE group_id = ? AND topic = ? AND partition_id = ?";

    /** The current content of a row. */
    record Row(String topicId, long position, int leaderEpoch, long fence) {}

    private final String table;
    private final String group;

    OffsetTable(String table, String group) {
        this.table = requireName(table);
        this.group = group;
    }

    private static String requireName(String table) {
        if (!NAME.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "table must be a name of letters, digits, _ and $, with dots between names: table=" + table);
        }
        return table;
    }

    static String definition(String table) {
        return """
                CREATE TABLE %s (
                    group_id     VARCHAR(255) NOT NULL,
                    topic        VARCHAR(249) NOT NULL,
                    partition_id INTEGER      NOT NULL,
                    topic_id     VARCHAR(22)  NOT NULL,
                    next_offset  BIGINT       NOT NULL,
                    leader_epoch INTEGER      NOT NULL,
                    fence        BIGINT       NOT NULL,
                    PRIMARY KEY (group_id, topic, partition_id)
                )""".formatted(requireName(table));
    }

    String name() {
        return table;
    }

    /** Takes ownership of a row, which stays locked. Creates the row if it is missing. */
    Row claim(Connection connection, TopicPartition id, String topicId) throws SQLException {
        try (PreparedStatement claim =
                connection.prepareStatement("UPDATE " + table + " SET fence = fence + 1" + OF_PARTITION)) {
            claim.setQueryTimeout(CLAIM_SECONDS);
            setPartition(claim, 1, id);
            if (claim.executeUpdate() == 0) {
                insert(connection, id, topicId);
            }
        }
        Row row = find(connection, id);
        if (row == null) {
            throw new SQLException("the row of " + id + " in " + table + " has gone while it was claimed");
        }
        return row;
    }

    private void insert(Connection connection, TopicPartition id, String topicId) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table
                + " (group_id, topic, partition_id, topic_id, next_offset, leader_epoch, fence)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            insert.setQueryTimeout(CLAIM_SECONDS);
            setPartition(insert, 1, id);
            insert.setString(4, topicId);
            insert.setLong(5, JdbcOffsets.NOTHING_WRITTEN);
            insert.setInt(6, JdbcOffsets.NO_EPOCH);
            // Random, to differ from the fence of an owner whose row was deleted.
            insert.setLong(7, ThreadLocalRandom.current().nextLong(1, FENCES));
            insert.executeUpdate();
        }
    }

    /** Stores the topic ID in a row that has no position yet, or whose topic ID was unknown. */
    void identify(Connection connection, TopicPartition id, String topicId) throws SQLException {
        try (PreparedStatement identify =
                connection.prepareStatement("UPDATE " + table + " SET topic_id = ?" + OF_PARTITION)) {
            identify.setString(1, topicId);
            setPartition(identify, 2, id);
            identify.executeUpdate();
        }
    }

    @Nullable
    Row find(Connection connection, TopicPartition id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT topic_id, next_offset, leader_epoch, fence FROM " + table + OF_PARTITION)) {
            setPartition(select, 1, id);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next()
                        ? new Row(rows.getString(1), rows.getLong(2), rows.getInt(3), rows.getLong(4))
                        : null;
            }
        }
    }

    /** Advances the position. Returns false if the row is not in the state that {@code step} expects. */
    boolean advance(Connection connection, Step step) throws SQLException {
        boolean withEpoch = step.lastEpoch() != JdbcOffsets.NO_EPOCH;
        try (PreparedStatement advance = connection.prepareStatement("UPDATE " + table + " SET next_offset = ?"
                + (withEpoch ? ", leader_epoch = ?" : "") + OF_PARTITION
                + " AND topic_id = ? AND next_offset = ? AND fence = ?"
                + (withEpoch ? " AND leader_epoch <= ?" : ""))) {
            int at = 1;
            advance.setLong(at++, step.next());
            if (withEpoch) {
                advance.setInt(at++, step.lastEpoch());
            }
            at = setPartition(advance, at, step.id());
            advance.setString(at++, step.topicId());
            advance.setLong(at++, step.expected());
            advance.setLong(at++, step.fence());
            if (withEpoch) {
                advance.setInt(at, step.firstEpoch());
            }
            return advance.executeUpdate() == 1;
        }
    }

    /** Sets the parameters of the primary key. Returns the index of the next parameter. */
    private int setPartition(PreparedStatement statement, int first, TopicPartition id) throws SQLException {
        statement.setString(first, group);
        statement.setString(first + 1, id.topic());
        statement.setInt(first + 2, id.partition());
        return first + 3;
    }
}
