/**
 * Members of share groups, which pass acquired records to a pipeline and acknowledge them. A
 * {@link dev.weir.kafka.internal.share.member.SharePath} acquires and acknowledges records, and
 * {@link dev.weir.kafka.internal.share.member.ReadyRecords} passes them to the pipeline's thread. ADR 71 explains the
 * formulas F2, F3, F5 and F8.
 */
@NullMarked
package dev.weir.kafka.internal.share.member;

import org.jspecify.annotations.NullMarked;
