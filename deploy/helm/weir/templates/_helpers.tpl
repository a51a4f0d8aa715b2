{{- define "weir.selector" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "weir.labels" -}}
{{ include "weir.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "weir.kind" -}}
{{ ternary "StatefulSet" "Deployment" .Values.staticMembers }}
{{- end }}

{{- /* The drain, and the longer of: the last commit and word to the group (23 s); a rebalance and its commit (10 s). */}}
{{- define "weir.graceSeconds" -}}
{{- if .Values.share.enabled -}}
{{ add .Values.stop.drainSeconds 23 }}
{{- else -}}
{{ add .Values.stop.drainSeconds (max 23 (add .Values.stop.revokeSeconds 10)) }}
{{- end -}}
{{- end }}

{{- /* Changes with the Secret, which nobody but a cluster knows. */}}
{{- define "weir.secretVersion" -}}
{{- if .Values.clientSecretVersion -}}
{{ toString .Values.clientSecretVersion | sha256sum }}
{{- else if .Release.IsUpgrade -}}
{{- with lookup "v1" "Secret" .Release.Namespace .Values.clientSecret -}}
{{ toJson .data | sha256sum }}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* The name of a property whose value is a secret; that of a file is none. */}}
{{- define "weir.secretName" -}}
(?i)(password|passphrase|secret|private[._-]?key|keystore[._-]key|user[._-]info|[._-]token|api[._-]?key)$
{{- end }}

{{- /* A secret within a text: NAME=SECRET, a URL with a password, or a header with a token. */}}
{{- define "weir.secretText" -}}
(?i)(password|passphrase|secret|token|api[._-]?key)[a-z]*["']?\s*=\s*["']?[^"'\s$;]|://[^/\s:@$]*:[^/\s@$]+@|authorization["']?\s*[:=]\s*["']?(bearer|basic)\s+[^\s"'$]
{{- end }}

{{- /* A value in the syntax of a properties file. Helm would write a large number as 5e+07. */}}
{{- define "weir.property" -}}
{{- if kindIs "float64" . -}}
{{- if eq . (floor .) }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end -}}
{{- else -}}
{{ toString . | replace "\\" "\\\\" | replace "\r" "\\r" | replace "\n" "\\n" }}
{{- end -}}
{{- end }}

{{- /* The busy share of each pod: of its busiest stage, where stages of one thread count together. */}}
{{- define "weir.busy" -}}
{{- $busy := printf "rate(weir_stage_busy_seconds_total{%s}[1m])" . -}}
{{- $threads := printf "weir_stage_parallelism{%s}" . -}}
sum(max by (instance) (
  clamp_max(sum by (instance) ({{ $busy }} and {{ $threads }} == 1), 1)
    or {{ $busy }} / {{ $threads }}
))
{{- end }}

{{- define "weir.matchers" -}}
{{ with trimSuffix "," (trim .Values.autoscaling.matchers) }}{{ . }},{{ end }}job="{{ .Release.Name }}"
{{- end }}
