/**
 * Members of share groups: settings come in, acquired records go out to a pipeline, and their acknowledgements come
 * back. A {@link dev.weir.kafka.internal.share.member.SharePath} acquires and acknowledges, {@link
 * dev.weir.kafka.internal.share.member.ReadyRecords} stands between it and the pipeline's thread.
 * Formulas F1 to F5 are explained in ADR 71.
 */
@NullMarked
package dev.weir.kafka.internal.share.member;

import org.jspecify.annotations.NullMarked;
