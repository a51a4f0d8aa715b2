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

{{- define "weir.matchers" -}}
{{ .Values.autoscaling.matchers }}job="{{ .Release.Name }}"
{{- end }}
